package io.lampone.tm.net;

import io.lampone.protocol.wire.RequestCursor;
import io.netty.buffer.ByteBuf;

/**
 * A frame of requests that is executed in pieces, one in each round of the event loop, so that
 * other connections have their turns in between. The whole frame is checked before the first
 * request is executed. A request is never split: it is decided in one step.
 */
final class SlicedBatch {

  /** Maximum length of a piece. Frames of clients under load are shorter and remain whole. */
  static final int PIECE_BYTES = 64 << 10;

  private final ByteBuf frame;
  private final RequestCursor requests;

  /**
   * Takes ownership of a frame that has not been checked yet.
   *
   * @param maxMessages maximum requests in a frame
   */
  SlicedBatch(ByteBuf frame, int maxMessages) {
    this.frame = frame;
    this.requests = new RequestCursor(maxMessages);
  }

  /**
   * Checks the whole frame and moves to the first piece.
   *
   * @throws io.lampone.protocol.MalformedException if it is not an undamaged frame of requests
   */
  RequestCursor open(ClientSession sender) {
    requests.open(frame.nioBuffer(), sender.capabilities(), sender);
    requests.cut(PIECE_BYTES);
    return requests;
  }

  /** Moves to the next piece and returns its length; 0 if there is none. */
  int nextPiece() {
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
