/** What shows a row: a spec, and which lines of its table, if it has one. */
export interface ShownBy {
  /** Below the root of the workspace. */
  readonly file: string;
  /** As it is written there; with `describe > ` in front where the file has several of that title. */
  readonly title: string;
  /** Text of the file, without which the spec would no longer show the row. */
  readonly cases: readonly string[];
}

/** One part of the interface: what holds, each with the specs that show it. */
export interface Chapter {
  readonly title: string;
  readonly rows: Readonly<Record<string, ShownBy | readonly ShownBy[]>>;
}

/** Names specs of one file. */
export function specsOf(file: string): (title: string, ...cases: string[]) => ShownBy {
  return (title, ...cases) => ({ file, title, cases });
}
