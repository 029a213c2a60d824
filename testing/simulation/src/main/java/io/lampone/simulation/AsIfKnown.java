package io.lampone.simulation;

import io.lampone.protocol.FastOperation;
import io.lampone.protocol.FastWrite;
import io.lampone.protocol.OneRegionCommit;
import io.lampone.protocol.RegionRequest;
import java.util.List;

/** First attempts as if their session had known of more than it did when it sent them. */
final class AsIfKnown {

  private AsIfKnown() {}

  /**
   * @param mark what it is made to have known
   * @param safePoint what lies below it stays so, and is refused
   */
  static RegionRequest upTo(long mark, long safePoint, RegionRequest request) {
    if (request instanceof FastWrite write) {
      List<FastOperation> operations =
          write.operations().stream()
              .map(
                  each ->
                      each.repeated() || each.firstMark() < safePoint
                          ? each
                          : each.withFirstMark(Math.max(each.firstMark(), mark)))
              .toList();
      return new FastWrite(write.floor(), write.mark(), write.atomic(), operations, write.issued());
    }
    return request instanceof OneRegionCommit commit && !commit.repeated()
        ? new OneRegionCommit(
            commit.startTimestamp(),
            commit.floor(),
            Math.max(commit.mark(), mark),
            commit.level(),
            false,
            commit.intents(),
            commit.grant(),
            commit.issued())
        : request;
  }
}
