/** Parts of `LIMITS` about the life of a process: backup, shutdown, health and metrics. */
export const PROCESS_LIMITS = {
  backup: Object.freeze({
    /** Files that are copied or compared at once. */
    filesAtOnce: 4,
    /** How often progress is reported. */
    progressEveryMs: 2_000,
    /** Longest start of a server on a restored copy: it replays the log that was written during the backup. */
    recoverySeconds: 600,
    /** Longest run of a service's own command, such as one that reads where the log ends. */
    commandWaitMs: 60_000,
  }),
  launcher: Object.freeze({
    /** Longest stop of everything: supervisors kill a process after 10 s. */
    stopWaitMs: 9_500,
  }),
  drain: Object.freeze({
    /** Running requests over HTTP are given this long, a little more than a command takes. */
    requestsWaitMs: 6_500,
    /** Idle connections stay open this long, so that a client that is just sending on one gets a response. */
    idleWaitMs: 1_000,
    /** Longest wait for connections that the parent process has handed over and that have not arrived. */
    handOverWaitMs: 1_000,
    /** Closing the bus of a process of its own. */
    busWaitMs: 8_000,
  }),
  health: Object.freeze({
    /** A check that takes longer fails. */
    checkWaitMs: 1_000,
    /** Results of the checks are reused for this long. */
    checksKeptMs: 500,
    /** Longest request for health. */
    requestMs: 5_000,
  }),
  metrics: Object.freeze({
    /** A reading that takes longer is left out of the page. */
    readingWaitMs: 1_000,
    /** Open work and the outbox are counted at most this often. */
    countEveryMs: 15_000,
    /** Money is summed up at most this often. */
    moneyEveryMs: 60_000,
    /** Rows are counted up to here. */
    rowsCounted: 10_000,
  }),
};
