/** Longest event that is read, in characters: a server that sends no end must not fill the memory. */
const longest = 1_048_576;

/** The JSON of each event of a stream of Server-Sent Events. */
export async function* readServerSentEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const data = text
        .slice(0, end)
        .split("\n")
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).replace(/^ /, ""));
      text = text.slice(end + 2);
      if (data.length > 0) yield JSON.parse(data.join("\n"));
    }
    if (text.length > longest) throw new RangeError("an event of the stream is too long");
  }
}
