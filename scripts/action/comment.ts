import { marker } from "./report.ts";

export interface PullRequest {
  /** `owner/name` */
  readonly repository: string;
  readonly number: string;
  readonly token: string;
  /** Address of the API. Default: that of GitHub. */
  readonly api?: string | undefined;
}

/** Writes the comment of a pull request, or replaces the one of an earlier run. @throws where GitHub refuses it */
export async function comment(text: string, pull: PullRequest): Promise<void> {
  const base = `${pull.api ?? "https://api.github.com"}/repos/${pull.repository}/issues`;
  const request = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${base}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${pull.token}`,
        accept: "application/vnd.github+json",
        "content-type": "application/json",
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(30_000),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: GitHub answered ${answer.status}`);
    return await answer.json();
  };
  const comments = (await request("GET", `${pull.number}/comments?per_page=100`)) as readonly {
    readonly id: number;
    readonly body: string;
    readonly user: { readonly type: string };
  }[];
  // A person may quote the marker; only a bot's comment is replaced.
  const own = comments.find(({ body, user }) => user.type === "Bot" && body.startsWith(marker));
  if (own) await request("PATCH", `comments/${own.id}`, { body: text });
  else await request("POST", `${pull.number}/comments`, { body: text });
}
