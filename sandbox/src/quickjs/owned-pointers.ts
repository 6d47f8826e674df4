import type { EngineModule } from "./module.ts";

/** Pointers that the host has to free after a call in a kept context. */
export class OwnedPointers {
  readonly values: number[] = [];
  readonly strings: number[] = [];
  readonly blocks: number[] = [];

  free(exports: EngineModule["exports"], context: number): void {
    for (const string of this.strings) exports._QTS_FreeCString(context, string);
    for (const value of this.values) exports._QTS_FreeValuePointer(context, value);
    for (const block of this.blocks) exports._free(block);
    this.values.length = 0;
    this.strings.length = 0;
    this.blocks.length = 0;
  }
}
