package io.lampone.tm.net;

import io.lampone.protocol.wire.RequestCursor;
import io.netty.buffer.ByteBuf;

/**
 * A frame of requests that is executed in pieces, one in each round of the event loop, so that the
 * others have their turns in between. All of it has been looked at before the first request is
 * executed. A request is never divided: that would be a decision in two steps.
 */
final class SlicedBatch {

  /**
   * So much of a frame is executed at a time. Frames that clients fill under load are shorter, and
   * remain whole.
   */
  static final int PIECE_BYTES = 64 << 10;

  private final ByteBuf frame;
  private final RequestCursor requests;

  /**
   * Takes over a frame that has not been inspected yet.
   *
   * @param maxMessages the most requests in a frame
   */
  SlicedBatch(ByteBuf frame, int maxMessages) {
    this.frame = frame;
    this.requests = new RequestCursor(maxMessages);
  }

  /**
   * Looks at all of it and shows the first piece.
   *
   * @throws io.lampone.protocol.MalformedException if it is no undamaged frame of requests
   */
  RequestCursor open(long capabilities) {
    requests.open(frame.nioBuffer(), capabilities);
    requests.cut(PIECE_BYTES);
    return requests;
  }

  /** Shows the next piece, if there is one. */
  boolean nextPiece() {
    return requests.nextPiece(PIECE_BYTES);
  }

  /** Returns the current piece. */
  RequestCursor requests() {
    return requests;
  }

  /** Returns the length of the frame. */
  int bytes() {
    return frame.readableBytes();
  }

  void release() {
    frame.release();
  }
}
