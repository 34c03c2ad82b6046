// Approvals: what `ask` rules put before a person; and how a call waits for the answer.

import type { Duration } from "@bufbuild/protobuf/wkt";
import { ApprovalDecision as WireDecision, ApprovalState as WireState } from "@kinpost/protocol";

import type { Calls, Patience } from "./calls.js";
import * as convert from "./convert.js";
import type { Approval } from "./records.js";
import type { ApprovalDecision, ApprovalState, Said } from "./terms.js";
import { sleep } from "./waiting.js";
import { duration, numberOf } from "./words.js";

/** Of one request: then the same call is made again, so that a connection that has died is noticed. */
const WAIT_SECONDS_MAX = 30;
/** Between two requests at least. */
const PAUSE_SECONDS = 1;

/** What an approver does; `client.approvals` is it. Observers may look; others get Forbidden. */
export class Approvals {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * Returns a tree's approvals, from any depth, newest first; those of no states in particular are all.
   *
   * Throws SessionNotFound, Forbidden.
   */
  async *list(
    rootSessionId: string,
    { states = ["pending"] }: { readonly states?: Iterable<Said<ApprovalState>> } = {},
  ): AsyncGenerator<Approval, void, void> {
    const numbers = [...states].map((state) => numberOf(WireState, state));
    let pageToken = "";
    do {
      const request = { rootSessionId, states: numbers, pageToken };
      const page = await this.#calls.unary((options) => this.#calls.approvals.listApprovals(request, options));
      yield* page.approvals.map(convert.approval);
      pageToken = page.nextPageToken;
    } while (pageToken);
  }

  /** Returns one approval of a session. Throws SessionNotFound, ApprovalNotFound. */
  async get(sessionId: string, approvalId: string): Promise<Approval> {
    const request = { sessionId, approvalId };
    const answer = await this.#calls.unary((options) => this.#calls.approvals.getApproval(request, options));
    return convert.approval(answer.approval);
  }

  /**
   * Answers an approval of a session and returns it; what is allowed is carried out with it. Safe to repeat.
   *
   * "allow_for_tree" allows the same operation to every asker of the tree. `reason`, at most 1024 bytes, is for the
   * asking agent and for people. Throws ApprovalNotFound, Forbidden, IdempotencyConflict (it was decided otherwise),
   * ApprovalExpired, ApprovalCancelled.
   */
  async decide(
    sessionId: string,
    approvalId: string,
    decision: Said<ApprovalDecision>,
    { reason = "" }: { readonly reason?: string } = {},
  ): Promise<Approval> {
    const request = { sessionId, approvalId, decision: numberOf(WireDecision, decision), reason };
    const answer = await this.#calls.unary((options) => this.#calls.approvals.decideApproval(request, options));
    return convert.approval(answer.approval);
  }
}

/** What asks the service to wait in one request: the field, and the patience that goes with it. */
export interface Wait {
  readonly field: { readonly approvalWait?: Duration };
  readonly patience: Patience;
}

/**
 * Makes a call, and again until a person has answered: for so many seconds, or for as long as it takes.
 *
 * The first call does not wait, since most need no person. Returns the last answer.
 */
export async function answered<Answer>(
  call: (wait: Wait) => Promise<Answer>,
  isPending: (answer: Answer) => boolean,
  waitSeconds: number | undefined,
  signal?: AbortSignal,
): Promise<Answer> {
  const endTime = waitSeconds === undefined ? Infinity : performance.now() + waitSeconds * 1000;
  let answer = await call({ field: {}, patience: {} });
  while (isPending(answer)) {
    const left = Math.min((endTime - performance.now()) / 1000, WAIT_SECONDS_MAX);
    if (left <= 0) {
      break;
    }
    const begunTime = performance.now();
    answer = await call({ field: { approvalWait: duration(left) }, patience: { extraSeconds: left } });
    const early = Math.min(left, PAUSE_SECONDS) - (performance.now() - begunTime) / 1000;
    if (early > 0 && isPending(answer)) {
      await sleep(early, signal); // too many wait there already: it was answered at once
    }
  }
  return answer;
}
