/**
 * The whole `postgresql.conf` of the embedded server, written at every start. What was acknowledged is on disk, so
 * `fsync` and `full_page_writes` stay on. The server's own log names no row: rows hold e-mails and phones.
 */
export function serverConfiguration(port: number, connections: number): string {
  const settings: Record<string, string | number> = {
    listen_addresses: "'127.0.0.1'",
    port,
    unix_socket_directories: "''",
    max_connections: connections,
    password_encryption: "'scram-sha-256'",
    shared_buffers: "'256MB'",
    work_mem: "'16MB'",
    maintenance_work_mem: "'128MB'",
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    // A physical copy of the cluster while it serves needs it.
    wal_level: "'replica'",
    max_wal_senders: 0,
    wal_buffers: "'16MB'",
    min_wal_size: "'256MB'",
    max_wal_size: "'4GB'",
    checkpoint_timeout: "'15min'",
    random_page_cost: 1.1,
    jit: 'off',
    autovacuum_naptime: "'15s'",
    timezone: "'UTC'",
    log_timezone: "'UTC'",
    log_min_messages: "'fatal'",
    log_min_error_statement: "'panic'",
    log_error_verbosity: "'terse'",
    log_checkpoints: 'off',
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');
}
