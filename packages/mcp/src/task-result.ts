import type { SessionContext, TaskOrigin } from "./context.ts";
import type { Mediation, Outcome } from "./mediation.ts";
import { errorMessage, rpcCodes } from "./message.ts";
import { mediateSamplingAnswer } from "./sampling.ts";
import { mediateElicitationAnswer } from "./elicitation.ts";
import { mediateAnswer } from "./tool-result.ts";
import type { ToolCallFacts } from "./tool-call.ts";
import type { Tasks } from "./tasks.ts";

/**
 * `tasks/result`: what comes is judged as what the task was made of. A task that this session knows nothing of is not
 * asked for: there would be no telling which tool has run on what.
 */
function taskResult(tasksOf: (session: SessionContext) => Tasks<TaskOrigin>): Mediation {
  return {
    request(call, session): Outcome {
      const { id, params, message } = call;
      if (session.stopped !== null) {
        return { answer: errorMessage(id, { code: rpcCodes.refused, message: session.stopped }) };
      }
      const origin = tasksOf(session).origin(params["taskId"]);
      if (!origin) {
        const error = { code: rpcCodes.invalidParams, message: "this session knows of no such task" };
        return { answer: errorMessage(id, error) };
      }
      call.facts = origin;
      return { forward: message };
    },
    answer(call, answer, session) {
      const { method, facts } = call.facts as TaskOrigin;
      if (method === "tools/call") return mediateAnswer(call, answer, facts as ToolCallFacts, session);
      if (method === "sampling/createMessage") return mediateSamplingAnswer(call, answer, session);
      return mediateElicitationAnswer(call, answer, facts, session);
    },
  };
}

/** The client asks for the result of a tool. */
export const toolTaskResult = taskResult((session) => session.serverTasks);
/** The server asks for what a model or a person has answered. */
export const answerTaskResult = taskResult((session) => session.clientTasks);
