package io.lampone.tmclient;

import io.lampone.protocol.wire.Priority;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * Calls to send, urgent ones first. Event loop only.
 *
 * <p>A frame holds calls of one priority: the server treats a frame as its most urgent request, so
 * less urgent ones would be executed ahead of their turn. No call starves: after {@link
 * #LONGEST_PASSED_OVER} the oldest calls go first.
 *
 * <p>Calls that may have ended connections go behind all others, regardless of priority: a server
 * reads one frame after the other, so the others are answered before it reads those. Because other
 * calls may keep arriving and most suspects are innocent, a suspect is sent after {@link
 * #FRAMES_BEFORE_A_SUSPECT} frames; with a few frames, all calls that waited when it arrived have
 * been sent.
 */
final class SendQueue {

  /** A call lost with this many connections is sent in a separate frame: it may have ended them. */
  private static final int LOSSES_BEFORE_ALONE = 2;

  /** Much longer than a round trip, much shorter than the timeout of a call. */
  static final Duration LONGEST_PASSED_OVER = Duration.ofMillis(100);

  private static final List<Priority> LEAST_URGENT_FIRST =
      List.of(Priority.BATCH, Priority.DEFAULT, Priority.SYSTEM);

  static final int FRAMES_BEFORE_A_SUSPECT = 16;

  /** By the code of their priority. */
  private final List<Deque<Call<?>>> queues = new ArrayList<>();

  private final Deque<Call<?>> suspects = new ArrayDeque<>();

  private int size;

  /** Frames of other calls since the last suspect was sent, while one waited. */
  private int framesOfOthers;

  SendQueue() {
    for (int i = 0; i < Priority.values().length; i++) {
      queues.add(new ArrayDeque<>());
    }
  }

  /** Returns true if the call may have ended connections and gets a separate frame. */
  static boolean travelsAlone(Call<?> call) {
    return call.losses() >= LOSSES_BEFORE_ALONE;
  }

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }

  /** Adds a call at the end of its queue. */
  void add(Call<?> call) {
    queueOf(call).addLast(call);
    size++;
  }

  /** Adds a call at the head of its queue, unless it travels alone. */
  void addFirst(Call<?> call) {
    if (travelsAlone(call)) {
      suspects.addLast(call);
    } else {
      queueOf(call).addFirst(call);
    }
    size++;
  }

  /** Returns the calls to send next; empty only if no call waits. */
  Kind next(long nowNanos) {
    Deque<Call<?>> next = suspects;
    for (Priority priority : LEAST_URGENT_FIRST) {
      Deque<Call<?>> queue = queues.get(priority.code());
      if (!queue.isEmpty() && (next == suspects || goesBefore(queue, next, nowNanos))) {
        next = queue;
      }
    }
    framesOfOthers = suspects.isEmpty() ? 0 : framesOfOthers + 1;
    if (next == suspects || framesOfOthers > FRAMES_BEFORE_A_SUSPECT) {
      framesOfOthers = 0;
      next = suspects;
    }
    return new Kind(next);
  }

  /** Removes and returns the calls requested before {@code nanos}. */
  List<Call<?>> removeAskedBefore(long nanos) {
    List<Call<?>> removed = new ArrayList<>();
    if (size > 0) {
      queues.forEach(queue -> removeAskedBefore(nanos, queue, removed));
      removeAskedBefore(nanos, suspects, removed);
    }
    return removed;
  }

  /** Removes and returns all calls. */
  List<Call<?>> removeAll() {
    List<Call<?>> all = new ArrayList<>();
    queues.forEach(
        queue -> {
          all.addAll(queue);
          queue.clear();
        });
    all.addAll(suspects);
    suspects.clear();
    size = 0;
    return all;
  }

  private Deque<Call<?>> queueOf(Call<?> call) {
    return travelsAlone(call) ? suspects : queues.get(call.priority.code());
  }

  /** Returns true if the more urgent queue goes first: unless the other one is late. */
  private static boolean goesBefore(Deque<Call<?>> urgent, Deque<Call<?>> other, long nowNanos) {
    long otherAsked = other.getFirst().askedNanos;
    return nowNanos - otherAsked <= LONGEST_PASSED_OVER.toNanos()
        || urgent.getFirst().askedNanos - otherAsked <= 0;
  }

  private void removeAskedBefore(long nanos, Deque<Call<?>> queue, List<Call<?>> removed) {
    Iterator<Call<?>> calls = queue.iterator();
    while (calls.hasNext()) {
      Call<?> call = calls.next();
      if (call.askedNanos - nanos < 0) {
        calls.remove();
        removed.add(call);
        size--;
      }
    }
  }

  /** Calls that may share a frame. */
  final class Kind {

    private final Deque<Call<?>> queue;

    private Kind(Deque<Call<?>> queue) {
      this.queue = queue;
    }

    boolean isEmpty() {
      return queue.isEmpty();
    }

    Call<?> peek() {
      return queue.getFirst();
    }

    Call<?> remove() {
      size--;
      return queue.removeFirst();
    }
  }
}
