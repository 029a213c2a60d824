package io.lampone.tm.net;

import io.lampone.protocol.wire.FrameLayout;
import io.lampone.tm.net.handshake.HandshakePolicy;
import io.netty.channel.ChannelHandlerContext;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Incomplete frames, in order of their start. Their memory is not limited otherwise: a connection
 * that does not complete a frame in time is closed, and so is the one with the oldest long frame
 * when long frames take too much memory in total. Allocates nothing per frame, because most reads
 * end within one. Event loop only.
 */
final class PartialFrames {

  /** Time limit for a frame to arrive while it is read. */
  static final int PATIENCE_SECONDS = 30;

  /** Interval of calls to {@link #look}. */
  static final int LOOK_SECONDS = 1;

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);

  /** Bytes per frame that are not counted: under load each connection has a frame under way. */
  private static final int SHORT_BYTES = 64 << 10;

  /** Minimum budget for long frames; raised to a few maximum frames if those are more. */
  private static final long LEAST_BUDGET_BYTES = 64 << 20;

  private static final int LONGEST_FRAMES = 4;

  private final HandshakePolicy desk;
  private final long budgetBytes;

  /** Sentinel of the ring. */
  private final Link ends = new Link();

  /** Total memory beyond {@link #SHORT_BYTES} per frame. */
  private long longBytes;

  /** A link of the ring. */
  private static class Link {

    Link before = this;
    Link behind = this;

    final void unlink() {
      before.behind = behind;
      behind.before = before;
      before = this;
      behind = this;
    }
  }

  /** Place of a connection; linked while it has an incomplete frame. */
  static final class Place extends Link {

    private final ChannelHandlerContext context;
    private final ReadControl readControl;

    /** Memory taken. */
    private int bytes;

    /** Number of the incomplete frame on the connection. */
    private long frame;

    /** Start of the frame, or the last time that the server paused reading. */
    private long sinceNanos;

    Place(ChannelHandlerContext context, ReadControl readControl) {
      this.context = context;
      this.readControl = readControl;
    }

    private int longBytes() {
      return Math.max(0, bytes - SHORT_BYTES);
    }
  }

  PartialFrames(HandshakePolicy desk) {
    this.desk = desk;
    long longest = Math.max(desk.limits().maxFrameBytes(), FrameLayout.MAX_TRANSFER_FRAME_BYTES);
    this.budgetBytes = Math.max(LEAST_BUDGET_BYTES, LONGEST_FRAMES * longest);
  }

  /**
   * Reports that a connection has been read from.
   *
   * @param bytes memory that it takes now; 0 between two frames
   * @param frame the number of the incomplete frame
   */
  void kept(Place place, int bytes, long frame, long nowNanos) {
    boolean goesOn = place.behind != place && place.frame == frame;
    longBytes -= place.longBytes();
    place.bytes = bytes;
    longBytes += place.longBytes();
    if (bytes == 0) {
      place.unlink();
    } else if (!goesOn) {
      place.frame = frame;
      moveBack(place, nowNanos);
    }
    while (longBytes > budgetBytes) {
      endOldestLong();
    }
  }

  /** Closes connections whose frame began too long ago, unless reading is paused. */
  void look(long nowNanos) {
    while (ends.behind instanceof Place oldest && nowNanos - oldest.sinceNanos >= PATIENCE_NANOS) {
      if (oldest.readControl.hasStopped()) {
        moveBack(oldest, nowNanos);
      } else {
        end(oldest, "a frame has begun and does not end");
      }
    }
  }

  private void moveBack(Place place, long nowNanos) {
    place.unlink();
    place.sinceNanos = nowNanos;
    place.before = ends.before;
    place.behind = ends;
    ends.before.behind = place;
    ends.before = place;
  }

  private void endOldestLong() {
    Link link = ends.behind;
    while (link instanceof Place place) {
      if (place.longBytes() > 0) {
        end(place, "frames that have begun take too much memory");
        return;
      }
      link = place.behind;
    }
  }

  private void end(Place place, String problem) {
    longBytes -= place.longBytes();
    place.bytes = 0;
    place.unlink();
    desk.unended(place.context.channel());
    ((Connection) place.context.handler()).exceptionCaught(place.context, new IOException(problem));
  }
}
