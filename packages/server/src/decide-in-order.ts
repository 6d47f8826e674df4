/** Decisions of one stream at the same time. */
const maxPending = 16;

interface Pending {
  /** The answer, when there is one. */
  text: string | null;
}

/**
 * Answers the lines of a stream in their order, several at a time. With backpressure: while the answers are not asked for,
 * no more than one further line is read.
 *
 * @param answer of one line; never rejects.
 * @param closing ends the stream with the lines that have been read.
 */
export async function* decideInOrder<Line>(
  lines: AsyncIterable<Line>,
  answer: (line: Line) => Promise<string>,
  closing: AbortSignal,
): AsyncGenerator<string> {
  const source = lines[Symbol.asyncIterator]();
  const pending: Pending[] = [];
  let isReading = false;
  let end: { readonly error?: unknown } | null = null;
  let isFinished = false;
  let wake: () => void = () => undefined;
  const onClosing = (): void => wake();
  closing.addEventListener("abort", onClosing);
  const accept = (line: Line): void => {
    const one: Pending = { text: null };
    pending.push(one);
    void answer(line).then((text) => {
      one.text = `${text}\n`;
      wake();
    });
  };
  const read = async (): Promise<void> => {
    isReading = true;
    try {
      const { done, value } = await source.next();
      if (done) end = {};
      else if (!isFinished) accept(value);
    } catch (error) {
      end = { error };
    }
    isReading = false;
    wake();
  };
  try {
    for (;;) {
      const ready = takeReady(pending);
      if (ready !== "") {
        yield ready;
        continue;
      }
      const ended = end as { readonly error?: unknown } | null;
      if (ended && "error" in ended) throw ended.error;
      if (pending.length === 0 && (ended || closing.aborted)) return;
      if (!ended && !isReading && !closing.aborted && pending.length < maxPending) void read();
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    isFinished = true;
    closing.removeEventListener("abort", onClosing);
    // A read that waits for the client would keep this from ending.
    if (!isReading) await source.return?.();
  }
}

/** The answers that are there, up to the first one that is not. */
function takeReady(pending: Pending[]): string {
  let text = "";
  while (pending[0] && pending[0].text !== null) text += (pending.shift() as Pending).text;
  return text;
}
