package io.lampone.coprocessor.core.intent;

import static io.lampone.coprocessor.core.FastServer.t;
import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static io.lampone.coprocessor.core.intent.MemoryRow.G;
import static io.lampone.coprocessor.core.intent.MemoryRow.ROW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.OpenGuards;
import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.fastpath.FastAdmission;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Checks before and after a write, and what it leaves of a server's knowledge. */
class RegularWriteTest {

  private static final long START = t(1);
  private static final Grant OWN = Proofs.OPEN.grant(START, 0);
  private static final RowFamily ELSEWHERE = new RowFamily("u", Bytes.utf8("leader"), G);
  private static final List<RowIntents> INTENTS =
      List.of(
          new RowIntents(
              ROW,
              List.of(
                  new FamilyIntents(
                      F,
                      SlotSet.NONE,
                      Optional.empty(),
                      List.of(
                          new IntentCell(0, IntentKind.PUT, Bytes.utf8("q"), Bytes.utf8("v")))))));

  private final MemoryRow row = new MemoryRow();
  private final SettledRows.OfRegion settled = new SettledRows(2).regionOpened();

  @Test
  void theFloorIsCheckedAgainWhenTheIntentsAreVisible() throws Exception {
    RegularWrite write =
        write(
            new OpenGuards() {
              @Override
              public void requireStillAdmissible(long start, long tableFloor) {
                throw Refused.because(Code.BELOW_FLOOR, "a newer one");
              }
            });
    write.decide(List.of(row));
    refused(Code.BELOW_FLOOR, write::confirm);
  }

  @Test
  void anIntentEndsTheKnowledgeOfASettledRow() throws Exception {
    settled.settled(ROW, t(0), t(0));
    write(new OpenGuards()).decide(List.of(row));
    assertThat(settled.newest(ROW, t(0))).isEqualTo(SettledRows.UNKNOWN);
  }

  @Test
  void aFollowerThatAReaderHasAbortedIsNotWrittenAgain() {
    row.put(
        F, START, TransactionCell.follower(ELSEWHERE, 1).withState(TransactionState.ABORTED, 0));
    refused(Code.ABORTED, () -> write(new OpenGuards()).decide(List.of(row)));
  }

  @Test
  void aCommitInARegionThatMayNotDrawYetIsRefused() {
    OneRegionCommit commit =
        new OneRegionCommit(START, 0, 0, ConflictLevel.ROW, false, INTENTS, OWN);
    OpenGuards without =
        new OpenGuards() {
          @Override
          public void requireDrawing() {
            throw Refused.because(Code.NOT_READY, "no tick yet");
          }
        };
    refused(Code.NOT_READY, () -> FastAdmission.admit(commit, without));
    FastAdmission.admit(commit, new OpenGuards());
  }

  /** Some of its rows may be gone: those that were flushed before the table was disabled. */
  @Test
  void aCommitOfATransactionFromBeforeTheTableWasDisabledAborts() throws Exception {
    long commit = t(3);
    CommitLeader request = new CommitLeader(START, 0, ROW, F, commit, Tag.NONE);
    row.put(F, START, TransactionCell.leader(List.of(), true, 1));
    RegularWrite late = write(request, new OpenGuards(), t(2));
    assertThat(late.decide(List.of(row)).get(0).outcome().is(TransactionState.ABORTED)).isTrue();
    RegularWrite since = write(request, new OpenGuards(), START);
    assertThat(since.decide(List.of(row)).get(0).outcome().is(TransactionState.COMMITTED)).isTrue();
  }

  private RegularWrite write(OpenGuards guards) {
    return write(new Flush(START, 0, ConflictLevel.ROW, ELSEWHERE, 2, INTENTS, OWN), guards, 0);
  }

  private RegularWrite write(RegionRequest request, OpenGuards guards, long generationFloor) {
    RecentVersions recent = new RecentVersions();
    return new RegularWrite(
        request,
        new TableRules("t", ConflictLevel.ROW, t(0), 1 << 20, false, generationFloor, 0),
        new RegularWrite.Setting(
            guards,
            new LocalVersionClock(),
            recent,
            settled,
            new KnownRows().regionOpened(recent)));
  }

  private static void refused(Code code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(code));
  }
}
