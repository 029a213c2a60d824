package io.lampone.simulation.hbase;

import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.RegionRequest;
import java.util.List;

/** Rewrites first attempts as if their session had carried a higher mark when it sent them. */
public final class AsIfKnown {

  private AsIfKnown() {}

  /**
   * @param mark raised mark of the first attempts
   * @param safePoint first attempts with a mark below it remain unchanged, and are refused
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
            commit.reads(),
            commit.knownSchema())
        : request;
  }
}
