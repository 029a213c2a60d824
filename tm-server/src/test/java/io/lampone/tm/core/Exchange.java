package io.lampone.tm.core;

import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.validation.BatchOutcome;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BiFunction;

/**
 * A frame of requests and what came of it, in bytes as on the wire and in objects for the test.
 *
 * @param replies what may leave; nothing unless the outcome is that the frame was answered
 */
public record Exchange(BatchOutcome outcome, List<WireReply> replies) {

  /** Sends requests of a client without further capabilities to whoever handles frames. */
  public static Exchange with(
      BiFunction<RequestCursor, ReplyWriter, BatchOutcome> handler, List<WireRequest> requests) {
    return with(handler, 0, requests);
  }

  /** Sends requests of a client with these capabilities. */
  public static Exchange with(
      BiFunction<RequestCursor, ReplyWriter, BatchOutcome> handler,
      long capabilities,
      List<WireRequest> requests) {
    FrameWriter frame = new FrameWriter();
    frame.start(FrameKind.REQUESTS);
    requests.forEach(request -> request.writeTo(frame));
    RequestCursor cursor = new RequestCursor(requests.size());
    cursor.open(frame.finish(), capabilities);
    ByteBuffer target = ByteBuffer.allocate(ReplyWriter.maxFrameBytes(requests.size()));
    ReplyWriter writer = new ReplyWriter(Proofs.OPEN);
    writer.start(target);
    BatchOutcome outcome = handler.apply(cursor, writer);
    if (!(outcome instanceof BatchOutcome.Answered)) {
      return new Exchange(outcome, List.of());
    }
    int bytes = writer.finish();
    target.position(0).limit(bytes);
    return new Exchange(outcome, WireReply.readBatch(FrameReader.open(target)));
  }
}
