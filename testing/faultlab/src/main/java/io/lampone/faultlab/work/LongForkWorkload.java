package io.lampone.faultlab.work;

import io.lampone.client.TransactionOptions;
import io.lampone.faultlab.work.check.OneOrderCheck;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;

/**
 * Keys that are written once, by transactions without other writes, and readers of many of them at
 * once: of any two readers one must see all that the other sees ({@link OneOrderCheck}). Few keys
 * read by gets are the long fork of the literature; a group that is scanned is a set.
 */
final class LongForkWorkload implements LabWorkload {

  /** Keys of a long fork, each in a separate row. */
  private static final int FEW = 4;

  private final boolean scans;

  /** Current group; each client detects by itself when a group is full. */
  private final AtomicLong group = new AtomicLong();

  /**
   * @param scans true if whole groups are scanned
   */
  LongForkWorkload(boolean scans) {
    this.scans = scans;
  }

  @Override
  public void step(LabClientSession session) {
    RandomGenerator random = session.random();
    long now = group.get();
    if (random.nextInt(3) == 0) {
      List<Long> keys = keys(now);
      long key = keys.get(random.nextInt(keys.size()));
      TransactionOptions options = OptionChoice.any(random);
      boolean scansFirst = scans && random.nextBoolean();
      session.transaction(
          options,
          steps -> {
            List<Long> seen =
                scansFirst ? steps.scanGroup(now).getOrDefault(key, List.of()) : steps.read(key);
            if (seen.isEmpty()) {
              steps.write(key, session.stamps().value(0));
            }
          });
    } else {
      session.transaction(OptionChoice.READ_ONLY, steps -> look(session, steps, now));
    }
  }

  private List<Long> keys(long number) {
    return scans
        ? LongStream.range(number * HistoryCells.GROUP, (number + 1) * HistoryCells.GROUP)
            .boxed()
            .toList()
        : LongStream.range(0, FEW).mapToObj(i -> HistoryCells.lone(number * FEW + i, 0)).toList();
  }

  private void look(LabClientSession session, Steps steps, long number) throws IOException {
    Map<Long, List<Long>> seen;
    if (scans) {
      seen = steps.scanGroup(number);
    } else {
      List<Long> keys = new ArrayList<>(keys(number));
      Collections.shuffle(keys, new Random(session.random().nextLong()));
      seen = steps.readAll(keys);
    }
    if (seen.values().stream().noneMatch(List::isEmpty)) {
      group.compareAndSet(number, number + 1);
    }
  }
}
