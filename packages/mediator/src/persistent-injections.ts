/**
 * Messages that hooks added to a conversation which the host stores. They are inserted into each request at the position
 * where they were added, as long as the message before that position is unchanged.
 */
export class PersistentInjections<M> {
  readonly #entries: { readonly index: number; readonly anchor: string; readonly messages: readonly M[] }[] =
    [];
  readonly #keyOf: (message: M) => string;

  /** @param keyOf returns the same key for equal messages only. */
  constructor(keyOf: (message: M) => string) {
    this.#keyOf = keyOf;
  }

  /** Adds messages to the end of a conversation as the host knows it. */
  add(conversation: readonly M[], messages: readonly M[]): void {
    if (messages.length === 0) return;
    this.#entries.push({
      index: conversation.length,
      anchor: this.#anchor(conversation, conversation.length),
      messages,
    });
    // Hosts compact conversations long before they are this long.
    if (this.#entries.length > 1_000) this.#entries.shift();
  }

  /** The conversation with everything that was added to it. */
  apply(conversation: readonly M[]): readonly M[] {
    const known = this.#entries.filter(
      ({ index, anchor }) => index <= conversation.length && anchor === this.#anchor(conversation, index),
    );
    if (known.length === 0) return conversation;
    const result: M[] = [];
    for (let index = 0; index <= conversation.length; index++) {
      for (const entry of known) if (entry.index === index) result.push(...entry.messages);
      if (index < conversation.length) result.push(conversation[index] as M);
    }
    return result;
  }

  #anchor(conversation: readonly M[], index: number): string {
    const before = conversation[index - 1];
    return before === undefined ? "" : this.#keyOf(before);
  }
}
