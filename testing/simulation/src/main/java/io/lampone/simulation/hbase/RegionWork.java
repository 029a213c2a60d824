package io.lampone.simulation.hbase;

import io.lampone.coprocessor.core.fastpath.FastAdmission;
import io.lampone.coprocessor.core.fastpath.FastAttempt;
import io.lampone.coprocessor.core.fastpath.FastPlan.Written;
import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.coprocessor.core.intent.CellWrite;
import io.lampone.coprocessor.core.intent.RegularWrite;
import io.lampone.coprocessor.core.intent.RowDecision;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.RegionReply;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.simulation.mutant.Parts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests that write, at a region. */
final class RegionWork {

  private RegionWork() {}

  /** Intents, or states of transaction cells. */
  static final class Regular implements ServedRegion.Work<RegionReply> {

    private final RegularWrite write;
    private final List<RegionReply.Outcome> outcomes = new ArrayList<>();

    Regular(RegularWrite write) {
      this.write = write;
    }

    @Override
    public List<List<CellWrite>> decide(List<StoredRow> stored) throws IOException {
      List<RowDecision> decisions = write.decide(stored);
      decisions.forEach(decision -> outcomes.add(decision.outcome()));
      return decisions.stream().map(RowDecision::writes).toList();
    }

    @Override
    public void applied() {
      write.applied();
    }

    @Override
    public void ended() {}

    @Override
    public void failed() {
      write.failed();
    }

    @Override
    public RegionReply confirm() {
      write.confirm();
      return new RegionReply(outcomes);
    }
  }

  /** A lookup, or a request at a region whose writes are committed at birth. */
  static final class Fast implements ServedRegion.Work<FastReply> {

    private final ServedRegion region;
    private final String user;
    private final RegionRequest request;
    private final List<FastReply.Outcome> outcomes = new ArrayList<>();
    private @Nullable FastAttempt attempt;

    /**
     * @param user to whose quota the region charges the operations that it remembers
     */
    Fast(ServedRegion region, String user, RegionRequest request) {
      this.region = region;
      this.user = user;
      this.request = request;
    }

    @Override
    public List<List<CellWrite>> decide(List<StoredRow> stored) throws IOException {
      RegionGuards guards = region.guards();
      FastAdmission.requireReadable(request, guards);
      RegionServer server = region.server();
      FastAttempt fresh =
          new FastAttempt(
              request,
              new FastAttempt.Setting(
                  user,
                  server.parts().fastRegion(region.fast(), server.clock()),
                  server.parts().tableRules(request, region.rules()),
                  guards::safePoint,
                  true));
      attempt = fresh;
      outcomes.clear();
      List<List<CellWrite>> writes = new ArrayList<>();
      for (Written written : fresh.decide(stored, reads())) {
        outcomes.add(written.outcome());
        writes.add(written.writes());
      }
      // Behind them are outcomes of rows that were only read.
      return writes.subList(0, stored.size());
    }

    /** Returns the rows that were read, as they are visible now. */
    private List<StoredRow> reads() {
      return request instanceof OneRegionCommit commit
          ? commit.reads().stream().map(read -> region.stored(request, read.row())).toList()
          : List.of();
    }

    @Override
    public void ended() {
      if (attempt != null) {
        attempt.end();
      }
    }

    @Override
    public void failed() {
      if (attempt != null && region.server().parts().heeds(Parts.InFlight.DOUBTS_STAY)) {
        attempt.failed((row, version) -> false);
      }
    }

    @Override
    public FastReply confirm() {
      RegionGuards guards = region.guards();
      FastReply reply = new FastReply(outcomes, guards.mark(FastReply.highest(outcomes)));
      if (attempt == null || !attempt.isDrawn()) {
        // An answer that changed nothing is a read: no log append proves the session.
        guards.requireSession();
      }
      return reply;
    }
  }
}
