package io.lampone.protocol.wire;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.Validator;

/** Codes of reasons in replies. */
final class Reasons {

  private Reasons() {}

  static Validator.Reason refusal(int code) {
    return switch (code) {
      case 1 -> Validator.Reason.BELOW_FLOOR;
      case 2 -> Validator.Reason.BELOW_WATERMARK;
      case 3 -> Validator.Reason.BELOW_SAFE_POINT;
      case 4 -> Validator.Reason.FORGOTTEN;
      case 5 -> Validator.Reason.OVERLOADED;
      case 6 -> Validator.Reason.MOVED;
      default -> throw new MalformedException("unknown reason of a refusal, reason=" + code);
    };
  }

  static WireReply.Failure failure(int code) {
    return switch (code) {
      case 1 -> WireReply.Failure.OVERLOADED;
      case 2 -> WireReply.Failure.BAD_TIMESTAMP;
      default -> throw new MalformedException("unknown failure, failure=" + code);
    };
  }
}
