/** Interleaved timing: every case runs in every round, so that a noisy moment of the machine hits all of them alike. */

export interface Case {
  readonly name: string;
  /** One operation. A promise is awaited. */
  run(): unknown;
  /** Operations in a round. */
  readonly n: number;
  /** How many operations one `run` stands for. Default 1. */
  readonly per?: number;
  /** Done after each run, and not timed. */
  after?(): void;
}

export interface Measured {
  readonly name: string;
  /** Median over the rounds of the round's median, in microseconds for one operation. */
  readonly us: number;
  readonly p99: number;
  /** Median over the rounds of the ratio to the first case in the same round. */
  readonly ratio: number;
  readonly least: number;
  readonly most: number;
}

/** Runs all cases in interleaved rounds. The first case is the one that the others are compared with. */
export async function measure(
  cases: readonly Case[],
  rounds: number,
  progress: (text: string) => void = () => undefined,
): Promise<Measured[]> {
  const results = cases.map(() => ({ us: [] as number[], p99: [] as number[], ratio: [] as number[] }));
  for (let round = 0; round < rounds; round++) {
    let base = 0;
    for (const [index, one] of cases.entries()) {
      progress(`round ${round + 1} of ${rounds}: ${one.name}`);
      const { median, p99 } = await time(one, round === 0);
      if (index === 0) base = median;
      const result = results[index]!;
      result.us.push(median);
      result.p99.push(p99);
      result.ratio.push(median / base);
    }
  }
  return cases.map(({ name }, index) => {
    const { us, p99, ratio } = results[index]!;
    return {
      name,
      us: middle(us),
      p99: middle(p99),
      ratio: middle(ratio),
      least: Math.min(...ratio),
      most: Math.max(...ratio),
    };
  });
}

async function time(
  { run, n, per = 1, after }: Case,
  first: boolean,
): Promise<{ median: number; p99: number }> {
  const warm = first ? n : Math.ceil(n / 10);
  for (let i = 0; i < warm; i++) {
    const result = run();
    if (result instanceof Promise) await result;
  }
  const times = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const start = performance.now();
    const result = run();
    if (result instanceof Promise) await result;
    times[i] = ((performance.now() - start) * 1_000) / per;
    after?.();
  }
  times.sort();
  return { median: times[n >> 1]!, p99: times[Math.min(n - 1, Math.floor(n * 0.99))]! };
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
