/**
 * Loaded into each process of a service before its own program: sends SIGTERM to the process when its parent process has
 * ended for any reason.
 */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// Listening must not keep alive what has come to its end.
process.channel?.unref();
