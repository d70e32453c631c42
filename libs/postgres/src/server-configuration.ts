/**
 * Returns the complete `postgresql.conf` of the embedded server, which is written at every start. Acknowledged commits
 * must be on disk, so `fsync` and `full_page_writes` are on. The server log contains no rows: they hold personal data.
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
    // Physical backups of the running cluster need this level.
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
