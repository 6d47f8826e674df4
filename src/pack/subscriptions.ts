import { quote } from "@hookwarden/sandbox/json";
import { eventRows } from "../catalogue/index.ts";
import { HookwardenError } from "../errors/index.ts";
import { compileMatcher, type Matcher, Router } from "../facts/index.ts";
import type { HookManifest, Subscription } from "./types.ts";

/** Most different regular expressions and lists of one pack. Equal ones are compiled once. */
const maxMatchers = 2_048;

/** Most instructions of all regular expressions of one pack: every new name is tested against all of them. */
const maxInstructions = 50_000;

/** Reads where the hooks of one pack listen. */
export class Subscriptions {
  readonly #matchers = new Map<string, Matcher>();
  readonly #router = new Router();
  #instructions = 0;

  /**
   * The subscriptions of one hook.
   *
   * @param configJson its configuration, which conditions may ask about
   *
   * @throws {HookwardenError} `matcher-invalid`
   */
  read(manifest: HookManifest, file: string, configJson: string): readonly Subscription[] {
    const config = JSON.parse(configJson) as object;
    const on = manifest.on.map(({ event, matcher, when }, index) => ({
      event,
      matcher: this.#matcher(event, matcher, { file, pointer: `/on/${index}/matcher` }),
      when: when ? this.#router.add(when, config) : null,
    }));
    if (this.#router.size <= maxMatchers) return on;
    const message = `the conditions of a pack have at most ${maxMatchers} different tests`;
    throw new HookwardenError("matcher-invalid", message, { file, pointer: "/on" });
  }

  #matcher(
    event: string,
    source: string | undefined,
    place: { file: string; pointer: string },
  ): Matcher | null {
    if (source === undefined) return null;
    if (eventRows.get(event)?.matches === undefined) {
      const message = `the matcher ${quote(source)} is given for ${event}, which has no name to match`;
      throw new HookwardenError("matcher-invalid", message, place);
    }
    const known = this.#matchers.get(source);
    if (known) return known;
    const result = compileMatcher(source);
    if (!result.ok) throw new HookwardenError("matcher-invalid", result.problem, place);
    if (result.matcher === null) return null;
    if (this.#matchers.size >= maxMatchers) {
      throw new HookwardenError(
        "matcher-invalid",
        `a pack has at most ${maxMatchers} different matchers`,
        place,
      );
    }
    this.#instructions += result.instructions;
    if (this.#instructions > maxInstructions) {
      const message = `the matchers of a pack have at most ${maxInstructions} instructions together`;
      throw new HookwardenError("matcher-invalid", message, place);
    }
    this.#matchers.set(source, result.matcher);
    return result.matcher;
  }
}
