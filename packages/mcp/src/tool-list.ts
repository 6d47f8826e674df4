import { canApprove } from "./approval.ts";
import type { SessionContext } from "./context.ts";
import type { Answer, Call } from "./mediation.ts";
import { isObject, type JsonObject, type RawMessage, resultMessage } from "./message.ts";
import { isPlainToolName } from "./names.ts";

/** How many tools hooks are asked about at the same time: a server may list very many. */
const concurrency = 32;

/**
 * A page of `tools/list`: takes out what would be refused whatever its input is, and what no call could name. Pages
 * keep their cursors, so that a page may come out shorter, or empty.
 */
export async function mediateToolList(
  call: Call,
  answer: Answer,
  session: SessionContext,
): Promise<RawMessage> {
  if (answer.kind === "error" || !isObject(answer.result)) return answer.message;
  const { tools } = answer.result;
  if (!Array.isArray(tools)) return answer.message;
  const plain = tools.filter((tool) => isObject(tool) && isPlainToolName(tool["name"])) as JsonObject[];
  session.tools.learn(plain);
  const { filter, sessionId, tenant } = session.options;
  const askable = canApprove(session);
  let kept: JsonObject[];
  try {
    kept = [];
    for (let start = 0; start < plain.length; start += concurrency) {
      const some = plain.slice(start, start + concurrency);
      const refused = await Promise.all(
        some.map(({ name }) =>
          filter.refuses(session.hookName(name as string), askable, { sessionId, tenant }),
        ),
      );
      kept.push(...some.filter((_, index) => !refused[index]));
    }
  } catch (error) {
    // The list only spares calls that are refused anyway: a call is judged whether its tool is listed or not.
    session.problem(
      `the list of tools is not filtered: ${error instanceof Error ? error.message : String(error)}`,
    );
    kept = plain;
  }
  if (kept.length === tools.length) return answer.message;
  return resultMessage(call.id, { ...answer.result, tools: kept });
}
