import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  type StreamConfig,
} from "@nats-io/jetstream";

/** A stream that is made where there is none, when it is needed for the first time. */
export class StreamOnce {
  readonly #config: Partial<StreamConfig> & { readonly name: string };
  #made: Promise<unknown> | null = null;

  constructor(config: Partial<StreamConfig> & { readonly name: string }) {
    this.#config = config;
  }

  /** Resolves when the stream is there. After a failure the next call looks again. */
  ensure({ streams }: JetStreamManager): Promise<unknown> {
    this.#made ??= streams
      .info(this.#config.name)
      .catch((error: unknown) => {
        if (!(error instanceof JetStreamApiError) || error.code !== JetStreamApiCodes.StreamNotFound)
          throw error;
        return streams.add(this.#config);
      })
      .catch((error: unknown) => {
        this.#made = null;
        throw error;
      });
    return this.#made;
  }

  /** The stream may be gone: it is looked for again. */
  forget(): void {
    this.#made = null;
  }
}
