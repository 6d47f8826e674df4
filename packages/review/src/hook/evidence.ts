import type { Run } from "../run/runner.ts";
import type { ReviewContext } from "./context.ts";
import type { Observation } from "./observe.ts";
import type { Search } from "./search.ts";

/** What all stages have seen. */
export interface Evidence extends Observation, Search {
  readonly context: ReviewContext;
  /** Every run that shows what the hook does. */
  readonly all: readonly Run[];
}
