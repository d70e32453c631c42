import { existsSync, readFileSync, readdirSync } from 'node:fs';

/** The value of `getconf CLK_TCK` on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const isReadable = existsSync('/proc/self/stat');

/** The fields of a process from its state on, or null when it has ended. */
function fieldsOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may hold spaces.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

const PARENT = 1;
const USER_TIME = 11;
const SYSTEM_TIME = 12;
const CHILDREN_USER_TIME = 13;
const CHILDREN_SYSTEM_TIME = 14;
const secondsOf = (fields, ...columns) =>
  columns.reduce((sum, column) => sum + Number(fields?.[column] ?? 0), 0) / TICKS_PER_SECOND;

/** Bytes of memory that a process holds now; null where the system does not tell. */
export function residentBytes(pid) {
  if (!isReadable) return null;
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return kib === undefined ? null : Number(kib) * 1_024;
}

/** CPU seconds that a process has used so far, its children aside; null where the system does not tell. */
export function processCpuSeconds(pid) {
  return isReadable ? secondsOf(fieldsOf(pid), USER_TIME, SYSTEM_TIME) : null;
}

/** The same of a PostgreSQL server: its postmaster, every backend that is there, and those that have ended. */
export function postgresCpuSeconds(postmasterPid) {
  if (!isReadable) return null;
  const ended = secondsOf(fieldsOf(postmasterPid), USER_TIME, SYSTEM_TIME, CHILDREN_USER_TIME, CHILDREN_SYSTEM_TIME);
  const backends = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(fieldsOf)
    .filter((fields) => fields?.[PARENT] === String(postmasterPid));
  return backends.reduce((sum, fields) => sum + secondsOf(fields, USER_TIME, SYSTEM_TIME), ended);
}

/** CPU seconds of a process and of all its descendants, those included that have ended and were waited for. */
export function treeCpuSeconds(root) {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), fields: fieldsOf(name) }));
  const secondsFrom = (pid) => {
    const own = processes.find((process) => process.pid === pid)?.fields;
    const columns = [USER_TIME, SYSTEM_TIME, CHILDREN_USER_TIME, CHILDREN_SYSTEM_TIME];
    const children = processes.filter(({ fields }) => fields?.[PARENT] === String(pid));
    return children.reduce((sum, child) => sum + secondsFrom(child.pid), secondsOf(own, ...columns));
  };
  return secondsFrom(root);
}
