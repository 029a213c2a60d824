package io.lampone.simulation.hbase;

import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.RegionRequest;
import java.util.List;

/** First attempts as if their session had known of more than it did when it sent them. */
public final class AsIfKnown {

  private AsIfKnown() {}

  /**
   * @param mark what it is made to have known
   * @param safePoint what lies below it stays so, and is refused
   */
  public static RegionRequest upTo(long mark, long safePoint, RegionRequest request) {
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
            commit.issued(),
            commit.reads())
        : request;
  }
}
