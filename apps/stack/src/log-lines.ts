import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { LIMITS } from '@settle/config';
import { readableLines } from '@settle/observability';

const COLORS = [36, 33, 35, 32, 34, 96, 93, 95, 92, 94];
const LONGEST_LINE = 65_536;

/**
 * Writes the lines of all processes to one output. In a terminal each line is readable and begins with the process's name in a
 * color of its own; otherwise log lines go through as they are, JSON that names its process, and only what is no log
 * line gets a name before it.
 */
export class LogLines {
  readonly #complaints = new Map<string, string>();
  readonly #colors = new Map<string, number>();
  readonly #readable = readableLines();
  #dropped = 0;

  constructor(
    private readonly output: Writable,
    private readonly isTerminal: boolean,
  ) {}

  /** Passes on what a process says from now on. */
  follow(name: string, { stdout, stderr }: ChildProcess): void {
    // A process that could not be started for want of descriptors has no streams, whatever the type says.
    if (stdout) wholeLines(stdout, (text) => this.#pass(name, text));
    if (!stderr) return;
    wholeLines(stderr, (text) => {
      this.#complaints.set(name, complaintIn(text));
      this.#pass(name, text);
    });
  }

  /** Why the process has ended, as far as it has said so on standard error. */
  lastComplaintOf(name: string): string | null {
    return this.#complaints.get(name)?.replace(/^Settle cannot run: /, '') ?? null;
  }

  #pass(name: string, text: string): void {
    if (!this.isTerminal && text.startsWith('{')) {
      this.#write(text);
      return;
    }
    const lines = text.trimEnd().split('\n');
    this.#write(lines.map((line) => `${this.#prefix(name)} ${this.#shown(line)}\n`).join(''));
  }

  /** While the output is not read, lines beyond a bound are dropped. */
  #write(text: string): void {
    if (this.output.writableLength > LIMITS.observability.bufferBytes) {
      this.#dropped += text.split('\n').length - 1;
      return;
    }
    if (this.#dropped > 0)
      this.output.write(`${this.#prefix('stack')} ${this.#dropped} lines were dropped: no program read them\n`);
    this.#dropped = 0;
    this.output.write(text);
  }

  #shown(line: string): string {
    return this.isTerminal && line.startsWith('{') ? this.#readable(line) : line;
  }

  #prefix(name: string): string {
    if (!this.isTerminal) return `${name}:`;
    const number = this.#colors.get(name) ?? this.#colors.size;
    this.#colors.set(name, number);
    return `\u001b[${COLORS[number % COLORS.length]}m${name.padEnd(11)}\u001b[39m`;
  }
}

/** Returns the line that best explains why a process ended: its final message, the line with the error, or the last line. */
function complaintIn(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /cannot run: |Error: /.test(line)) ?? lines.at(-1) ?? '';
}

/** Calls `pass` with one or more whole lines at a time, the last line break included. */
function wholeLines(stream: Readable, pass: (text: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const text = rest + chunk;
    const end = text.lastIndexOf('\n') + 1;
    rest = text.slice(end);
    if (end > 0) pass(text.slice(0, end));
    if (rest.length > LONGEST_LINE) {
      pass(`${rest}\n`);
      rest = '';
    }
  });
  stream.once('end', () => {
    if (rest !== '') pass(`${rest}\n`);
  });
}
