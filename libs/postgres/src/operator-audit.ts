import { SettleError } from '@settle/contracts';
import type { DataSource, QueryRunner } from 'typeorm';

/** Tables of the audit. A service can only add rows to them: name them in `appendOnlyTables` of its schema. */
export const OPERATOR_AUDIT_TABLES = ['operator_actions', 'operator_action_outcomes'] as const;

/** `stored`: the change is stored, and was not confirmed by the services that follow it. */
type Outcome = 'done' | 'stored' | 'failed';

/** The operator who runs a command. */
interface Operator {
  readonly operator: string;
  /** In the operator's words; null: none was given. */
  readonly reason: string | null;
}

/** A change that an operator has asked for, without what the operator is. */
export interface OperatorAction {
  /** The command, such as `end-sessions`. */
  readonly command: string;
  readonly userId: string | null;
  readonly appId: string | null;
  /** Further arguments, such as flags; no secrets, no addresses. */
  readonly details: object;
}

/** A recorded action. */
interface AuditRecord extends OperatorAction, Operator {
  readonly at: Date;
  /** Null: the command has not ended, or was interrupted. */
  readonly outcome: Outcome | null;
}

/** Creates the tables of the audit, for a service's migration. */
export async function createOperatorAuditTables(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table operator_actions (
      id bigint generated always as identity primary key,
      at timestamptz not null default clock_timestamp(),
      operator text not null,
      reason text,
      command text not null,
      user_id bigint,
      app_id text,
      details jsonb not null
    )`);
  await runner.query('create index operator_actions_by_user on operator_actions (user_id, id)');
  await runner.query(`
    create table operator_action_outcomes (
      action_id bigint primary key references operator_actions (id),
      at timestamptz not null default clock_timestamp(),
      outcome text not null check (outcome in ('done', 'stored', 'failed'))
    )`);
}

/** Reverts `createOperatorAuditTables`. */
export async function dropOperatorAuditTables(runner: QueryRunner): Promise<void> {
  await runner.query('drop table operator_action_outcomes');
  await runner.query('drop table operator_actions');
}

const INSERT_ACTION = `
  insert into operator_actions (operator, reason, command, user_id, app_id, details)
  values ($1, $2, $3, $4, $5, $6) returning id`;
const INSERT_OUTCOME = 'insert into operator_action_outcomes (action_id, outcome) values ($1, $2)';
const LIST = `
  select a.at, a.operator, a.reason, a.command, a.user_id as "userId", a.app_id as "appId", a.details, o.outcome
  from operator_actions a left join operator_action_outcomes o on o.action_id = a.id
  where ($1::bigint is null or a.user_id = $1) and ($2::timestamptz is null or a.at < $2)
  order by a.id desc limit $3`;

/**
 * Runs a change of an operator. The action is committed before the change begins, so that no change is without a record;
 * its outcome follows. Errors: those of the change, and of the database if the action cannot be recorded.
 */
export async function runAudited<Result>(
  dataSource: DataSource,
  action: OperatorAction & Operator,
  change: () => Promise<Result>,
): Promise<Result> {
  const { operator, reason, command, userId, appId, details } = action;
  const values = [operator, reason, command, userId, appId, JSON.stringify(details)];
  const [row] = await dataSource.query<{ id: string }[]>(INSERT_ACTION, values);
  // An outcome that cannot be recorded is missing in the list; it must not change how the command ends.
  const end = (outcome: Outcome) => dataSource.query(INSERT_OUTCOME, [row?.id, outcome]).catch(() => undefined);
  try {
    const result = await change();
    await end('done');
    return result;
  } catch (error) {
    await end(error instanceof SettleError && error.code === 'outcome_unknown' ? 'stored' : 'failed');
    throw error;
  }
}

/** Selects records of the audit. */
interface AuditFilter {
  /** Null: of every user, and of apps. */
  readonly userId: string | null;
  /** Only earlier records; null: up to the newest. */
  readonly before: Date | null;
  readonly limit: number;
}

/** Returns recorded actions, one line each, the newest first. */
export async function formatAudit(dataSource: DataSource, { userId, before, limit }: AuditFilter): Promise<string> {
  const records = await dataSource.query<AuditRecord[]>(LIST, [userId, before, limit]);
  return records.map((record) => `${formatRecord(record)}\n`).join('');
}

/** Begins with the time, so that the lines of several services can be sorted. */
function formatRecord(record: AuditRecord): string {
  const { at, operator, command, details, outcome, reason } = record;
  const subjects = [
    ...(record.userId === null ? [] : [`user ${record.userId}`]),
    ...(record.appId === null ? [] : [`app ${record.appId}`]),
  ];
  const facts = Object.entries(details).map(([name, value]) => `${name}=${String(value)}`);
  const what = [command, ...subjects, ...facts].join(' ');
  const why = reason === null ? 'no reason given' : `reason: ${reason}`;
  return `${at.toISOString()}  ${operator}  ${what}  ${outcome ?? 'not finished'}  ${why}`;
}
