/** The programs beside the client: the daemon, and what decides one event without it. */
export interface Programs {
  readonly daemon: string;
  readonly decide: string;
}
