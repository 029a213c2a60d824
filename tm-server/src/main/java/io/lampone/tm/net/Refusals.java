package io.lampone.tm.net;

import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.RequestType;
import io.lampone.protocol.wire.WireReply;

/** Answers requests without executing them. */
final class Refusals {

  private Refusals() {}

  /**
   * Answers each request of the whole frame with "not executed" and a pause. This is not an answer
   * that needs the lease, but only a primary gives it.
   */
  static void answer(RequestCursor requests, ReplyWriter answers, int retryAfterMillis) {
    requests.cut(Integer.MAX_VALUE);
    while (requests.next()) {
      int type = requests.type();
      if (type == RequestType.VALIDATE || type == RequestType.VOTE || type == RequestType.RESERVE) {
        answers.refused(requests.id(), Validator.Reason.OVERLOADED, retryAfterMillis);
      } else {
        answers.failed(requests.id(), WireReply.Failure.OVERLOADED, retryAfterMillis);
      }
    }
  }
}
