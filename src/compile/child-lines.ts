import { writeSync } from "node:fs";

/** Calls back with the one line of JSON that the parent writes, and ends the process when the work is done. */
export function onJob<Job>(work: (job: Job) => void | Promise<void>): void {
  const parts: string[] = [];
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (part: string) => {
    // Joined once: to look at the end of a growing text copies all of it for each part.
    parts.push(part);
    if (!part.endsWith("\n")) return;
    Promise.resolve(JSON.parse(parts.splice(0).join("")) as Job)
      .then(work)
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  });
  // The parent keeps the pipe open until it has its answers. If it dies, the answers are no longer needed.
  process.stdin.on("end", () => process.exit(1));
}

/** Writes one line of JSON, completely: a write to a pipe may be partial if the parent reads slowly. */
export function answerLine<Answer>(answer: Answer): void {
  let rest = Buffer.from(`${JSON.stringify(answer)}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

/** Reads the lines that a child has answered; lines that are not JSON are skipped. */
export function readLines<Answer>(output: string): readonly Answer[] {
  return output.split("\n").flatMap((line) => {
    if (line === "") return [];
    try {
      return [JSON.parse(line) as Answer];
    } catch {
      return []; // The child was killed in the middle of a line.
    }
  });
}
