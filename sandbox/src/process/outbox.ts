import type { CallGroup } from "../contract.ts";
import type { Job } from "./job.ts";
import { encodeCall, encodeForget, encodeGroup, encodeInspect, encodeLoad } from "./request.ts";

/** A group of calls in one child. */
export interface GroupState {
  readonly number: number;
  /** When its first call began, by `performance.now()`; 0 before that. */
  beganAt: number;
}

/** Frames for one child, to be written in one piece. Programs and groups are sent before their first use. */
export class Outbox {
  /** Numbers of the programs that were sent, by key. */
  readonly #programs = new Map<string, number>();
  readonly #groups = new WeakMap<CallGroup, GroupState>();
  #lastGroup = 0;
  #lastIndex = 0;
  #lastId = 0;
  #text = "";
  #jobs = 0;

  /** Number of jobs that have not been written. */
  get jobs(): number {
    return this.#jobs;
  }

  /** Whether the child has the program. */
  hasProgram(key: string): boolean {
    return this.#programs.has(key);
  }

  /** The state of the group of a job's call. */
  groupOf({ call }: Job): GroupState | undefined {
    return call?.group && this.#groups.get(call.group);
  }

  /** Adds a job. @returns its number, whether its program is new to the child, and whether the outbox was empty. */
  add(job: Job): { readonly id: number; readonly isNew: boolean; readonly first: boolean } {
    const first = this.#text === "";
    const { program, call, limits } = job;
    let index = this.#programs.get(program.key);
    const isNew = index === undefined;
    if (index === undefined) {
      index = ++this.#lastIndex;
      this.#programs.set(program.key, index);
      this.#text += encodeLoad(index, program);
    }
    job.attempts++;
    this.#jobs++;
    const id = ++this.#lastId;
    const group = this.#announceGroup(call?.group);
    this.#text += call ? encodeCall(id, index, call, group) : encodeInspect(id, index, job.tenant, limits);
    return { id, isNew, first };
  }

  /** Makes the child forget a program; `true` if the outbox was empty. */
  forget(key: string): boolean {
    const index = this.#programs.get(key);
    if (index === undefined) return false;
    const first = this.#text === "";
    this.#programs.delete(key);
    this.#text += encodeForget(index);
    return first;
  }

  /** Empties the outbox. @returns the frames. */
  take(): string {
    const text = this.#text;
    this.#text = "";
    this.#jobs = 0;
    return text;
  }

  /** The number of a group, which is sent to the child before its first call. */
  #announceGroup(group: CallGroup | undefined): number | undefined {
    if (group === undefined) return undefined;
    let state = this.#groups.get(group);
    if (!state) {
      this.#groups.set(group, (state = { number: ++this.#lastGroup, beganAt: 0 }));
      this.#text += encodeGroup(state.number, group);
    }
    return state.number;
  }
}
