package io.lampone.tm.net;

import io.lampone.protocol.wire.FrameLayout;
import io.lampone.tm.net.handshake.HandshakePolicy;
import io.netty.channel.ChannelHandlerContext;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Beginnings of frames of which the end is still to come, those begun first in front. They take
 * memory that nothing else counts: who does not end a frame in time has to go, and the oldest of
 * the long ones has to when these take too much together. Makes no object for a frame, for most
 * reads end within one. Event loop only.
 */
final class PartialFrames {

  /** Time limit for a frame to arrive while it is read. */
  static final int PATIENCE_SECONDS = 30;

  /** Interval of calls to {@link #look}. */
  static final int LOOK_SECONDS = 1;

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);

  /** So much is everybody's: under load each connection has a part of a frame, and ends it soon. */
  private static final int SHORT_BYTES = 64 << 10;

  /** Least total beyond that; a few of the longest frames if they are more. */
  private static final long LEAST_BUDGET_BYTES = 64 << 20;

  private static final int LONGEST_FRAMES = 4;

  private final HandshakePolicy desk;
  private final long budgetBytes;

  /** Before the first and behind the last one. */
  private final Link ends = new Link();

  /** Memory of all of them beyond {@link #SHORT_BYTES} each. */
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

  /** Of one connection; linked while it has begun a frame. */
  static final class Place extends Link {

    private final ChannelHandlerContext context;
    private final ReadControl readControl;

    /** The memory that is kept. */
    private int bytes;

    /** Number of the connection's frame that has begun there. */
    private long frame;

    /** When it began, or was last held up by the server. */
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
   * A connection has been read from.
   *
   * @param bytes that it keeps now; 0 if it is between two frames
   * @param frame the number of the frame that they begin with
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

  /** Ends the connections that have begun a frame too long ago, unless they are not read from. */
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
