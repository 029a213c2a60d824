package io.lampone.simulation.world;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Events in the order of their times and, at the same time, of their numbers. A heap in which each
 * event has up to four children, with the times in an array of their own: a run adds and takes tens
 * of thousands of events while hundreds wait.
 */
final class EventQueue {

  private static final int CHILDREN = 4;
  private static final int FIRST_CAPACITY = 256;

  private long[] times = new long[FIRST_CAPACITY];
  private Event[] events = new Event[FIRST_CAPACITY];
  private int size;

  /** An event at a machine; skipped if the machine has died since. */
  record Event(
      long timeNanos, long number, SimulatedMachine machine, int incarnation, Runnable action) {}

  void add(Event event) {
    if (size == events.length) {
      times = Arrays.copyOf(times, 2 * size);
      events = Arrays.copyOf(events, 2 * size);
    }
    int hole = size++;
    while (hole > 0) {
      int parent = (hole - 1) / CHILDREN;
      if (!isBefore(event.timeNanos, event, parent)) {
        break;
      }
      move(parent, hole);
      hole = parent;
    }
    put(event, hole);
  }

  /** Removes and returns the first event; null if there is none. */
  @SuppressWarnings("NullAway") // Places from size on are empty.
  @Nullable Event poll() {
    if (size == 0) {
      return null;
    }
    Event first = events[0];
    Event last = events[--size];
    events[size] = null;
    if (size > 0) {
      sink(last);
    }
    return first;
  }

  /** Puts an event in the place of the first one, and then below all that are before it. */
  private void sink(Event event) {
    int hole = 0;
    while (true) {
      int child = firstOfChildren(hole);
      if (child >= size || isBefore(event.timeNanos, event, child)) {
        break;
      }
      move(child, hole);
      hole = child;
    }
    put(event, hole);
  }

  /** Returns the place of the child that comes first; {@link #size} or more if there is none. */
  private int firstOfChildren(int parent) {
    int first = CHILDREN * parent + 1;
    int end = Math.min(first + CHILDREN, size);
    for (int other = first + 1; other < end; other++) {
      if (isBefore(times[other], events[other], first)) {
        first = other;
      }
    }
    return first;
  }

  /** Looks at the events themselves only if their times are the same. */
  private boolean isBefore(long time, Event event, int place) {
    return time < times[place] || time == times[place] && event.number < events[place].number;
  }

  private void move(int from, int to) {
    times[to] = times[from];
    events[to] = events[from];
  }

  private void put(Event event, int place) {
    times[place] = event.timeNanos;
    events[place] = event;
  }
}
