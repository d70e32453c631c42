/**
 * Loaded into each process of a service before its own program: when whoever started it is gone, however that came,
 * it is told to stop as if by a signal.
 */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// Listening must not keep alive what has come to its end.
process.channel?.unref();
