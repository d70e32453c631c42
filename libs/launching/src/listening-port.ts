import { createServer } from 'node:net';
import { readSettings, type EnvironmentVariables, type Settings } from '@settle/config';

/**
 * Returns the settings, with `PORT=0` replaced by a free port, because the public URL depends on it. Reports a port that
 * is in use before anything is started. Errors: `SettingsError`, or one line.
 */
export async function readSettingsAndPort(env: EnvironmentVariables): Promise<Settings> {
  if (env['PORT']?.trim() !== '0') {
    const settings = readSettings(env);
    await probe(settings.host, settings.port);
    return settings;
  }
  const { host } = readSettings({ ...env, PORT: '' });
  return readSettings({ ...env, PORT: String(await probe(host, 0)) });
}

/** Returns a port that is free: `port` itself, or any for 0. */
function probe(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => reject(new Error(problem(host, port, error.code))));
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}

function problem(host: string, port: number, code = 'unknown error'): string {
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is in use: stop what uses it, or set PORT to another one`;
  if (code === 'EACCES') return `Port ${port} may not be opened by this user: set PORT to one above 1023`;
  return `Nothing can listen on ${host} (${code}): set HOST to an address of this machine`;
}
