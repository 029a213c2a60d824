package io.lampone.tmclient;

import io.lampone.protocol.wire.Priority;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * Calls that are to be sent, the urgent ones first. Event loop only.
 *
 * <p>A frame holds calls of one priority: the server takes a frame for as urgent as its most urgent
 * request, and what can wait would be executed on the account of what cannot. Nobody is passed over
 * for ever: after {@link #LONGEST_PASSED_OVER} it is the turn of those who have waited longest.
 *
 * <p>Calls that may be what ends connections go after everybody else who waits, whatever their
 * priority: a server reads one frame after the other, so that the others are answered before it
 * meets those. Others may come for ever, though, and most suspects are innocent: after {@link
 * #FRAMES_BEFORE_A_SUSPECT} frames it is a suspect's turn, and with a few frames everybody has been
 * sent who waited when it came.
 */
final class SendQueue {

  /** A call that was lost with this many connections travels alone: it may be what ended them. */
  private static final int LOSSES_BEFORE_ALONE = 2;

  /** Much longer than a round trip, much shorter than a call's time. */
  static final Duration LONGEST_PASSED_OVER = Duration.ofMillis(100);

  private static final List<Priority> LEAST_URGENT_FIRST =
      List.of(Priority.BATCH, Priority.DEFAULT, Priority.SYSTEM);

  static final int FRAMES_BEFORE_A_SUSPECT = 16;

  /** By the code of their priority. */
  private final List<Deque<Call<?>>> queues = new ArrayList<>();

  private final Deque<Call<?>> suspects = new ArrayDeque<>();

  private int size;

  /** Frames of others since a suspect was sent, while there was one. */
  private int framesOfOthers;

  SendQueue() {
    for (int i = 0; i < Priority.values().length; i++) {
      queues.add(new ArrayDeque<>());
    }
  }

  /** Returns true if the call may be what ends connections, and gets a dedicated frame. */
  static boolean travelsAlone(Call<?> call) {
    return call.losses() >= LOSSES_BEFORE_ALONE;
  }

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }

  /** Puts a call behind those of its kind. */
  void add(Call<?> call) {
    queueOf(call).addLast(call);
    size++;
  }

  /** Puts a call before those of its kind, unless it travels alone. */
  void addFirst(Call<?> call) {
    if (travelsAlone(call)) {
      suspects.addLast(call);
    } else {
      queueOf(call).addFirst(call);
    }
    size++;
  }

  /** The kind that is sent next; empty only if nothing waits. */
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

  /** Removes and returns the calls that were asked before {@code nanos}. */
  List<Call<?>> removeAskedBefore(long nanos) {
    List<Call<?>> removed = new ArrayList<>();
    queues.forEach(queue -> removeAskedBefore(nanos, queue, removed));
    removeAskedBefore(nanos, suspects, removed);
    return removed;
  }

  /** Removes and returns all. */
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

  /** Returns true if the more urgent one of two kinds goes first, unless the other is late. */
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
