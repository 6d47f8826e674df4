/**
 * Messages that hooks added to a conversation which the host keeps itself. They are put in again with each request, at
 * the place where they were added, for as long as the message before that place is still the same.
 */
export class Carried<M> {
  private entries: { readonly index: number; readonly anchor: string; readonly messages: readonly M[] }[] =
    [];
  private readonly keyOf: (message: M) => string;

  /** @param keyOf tells messages apart. */
  constructor(keyOf: (message: M) => string) {
    this.keyOf = keyOf;
  }

  /** Adds messages at the end of a conversation as the host knows it. */
  add(conversation: readonly M[], messages: readonly M[]): void {
    if (messages.length === 0) return;
    this.entries.push({
      index: conversation.length,
      anchor: this.anchor(conversation, conversation.length),
      messages,
    });
    // A conversation that long has been compacted many times over.
    if (this.entries.length > 1_000) this.entries.shift();
  }

  /** The conversation with all that was added to it. */
  apply(conversation: readonly M[]): readonly M[] {
    const known = this.entries.filter(
      ({ index, anchor }) => index <= conversation.length && anchor === this.anchor(conversation, index),
    );
    if (known.length === 0) return conversation;
    const result: M[] = [];
    for (let index = 0; index <= conversation.length; index++) {
      for (const entry of known) if (entry.index === index) result.push(...entry.messages);
      if (index < conversation.length) result.push(conversation[index] as M);
    }
    return result;
  }

  private anchor(conversation: readonly M[], index: number): string {
    const before = conversation[index - 1];
    return before === undefined ? "" : this.keyOf(before);
  }
}
