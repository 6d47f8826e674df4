/** One instruction of classic BPF: code, jumps if true and if false, operand. */
export interface Instruction {
  readonly code: number;
  readonly jt: number;
  readonly jf: number;
  readonly k: number;
}

const codes = {
  /** Load a 32-bit word of `struct seccomp_data`. */
  load: 0x20,
  /** Jump where the accumulator equals the operand. */
  equal: 0x15,
  /** Jump where it is at least the operand. */
  atLeast: 0x35,
  and: 0x54,
  ret: 0x06,
} as const;

export function load(offset: number): Instruction {
  return { code: codes.load, jt: 0, jf: 0, k: offset };
}

export function and(mask: number): Instruction {
  return { code: codes.and, jt: 0, jf: 0, k: mask };
}

export function ret(value: number): Instruction {
  return { code: codes.ret, jt: 0, jf: 0, k: value };
}

/** Runs `then` where the accumulator equals `k`, and skips it otherwise. */
export function ifEqual(k: number, then: readonly Instruction[]): readonly Instruction[] {
  return [{ code: codes.equal, jt: 0, jf: distance(then), k }, ...then];
}

/** Runs `then` where the accumulator is at least `k`, and skips it otherwise. */
export function ifAtLeast(k: number, then: readonly Instruction[]): readonly Instruction[] {
  return [{ code: codes.atLeast, jt: 0, jf: distance(then), k }, ...then];
}

/** Runs `then` unless the accumulator equals `k`. */
export function unlessEqual(k: number, then: readonly Instruction[]): readonly Instruction[] {
  return [{ code: codes.equal, jt: distance(then), jf: 0, k }, ...then];
}

function distance(instructions: readonly Instruction[]): number {
  if (instructions.length > 255) throw new RangeError("a jump of BPF skips at most 255 instructions");
  return instructions.length;
}

/** Encodes the program for a little-endian kernel: 8 bytes per instruction. */
export function assemble(program: readonly Instruction[]): Uint8Array {
  if (program.length > 4_096) throw new RangeError("a program of BPF has at most 4096 instructions");
  const bytes = Buffer.alloc(8 * program.length);
  for (const [index, { code, jt, jf, k }] of program.entries()) {
    bytes.writeUInt16LE(code, 8 * index);
    bytes.writeUInt8(jt, 8 * index + 2);
    bytes.writeUInt8(jf, 8 * index + 3);
    bytes.writeUInt32LE(k >>> 0, 8 * index + 4);
  }
  return bytes;
}
