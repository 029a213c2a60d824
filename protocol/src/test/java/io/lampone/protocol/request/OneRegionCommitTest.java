package io.lampone.protocol.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.OneRegionCommit.RowRead;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Tag;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Requests that commit in one region, with and without reads, byte for byte. */
final class OneRegionCommitTest {

  private static final long START = 0x1900000000000100L;
  private static final long VERSION = START + 130;
  private static final Grant GRANT =
      new Grant(START, 3, new Tag(0x0102030405060708L, 0x090a0b0c0d0e0f10L));
  private static final String GRANT_BYTES =
      "1900000000000100" + "00000003" + "0102030405060708" + "090a0b0c0d0e0f10";

  @Test
  void theBytesOfAOneRegionCommitNeverChange() {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, Bytes.utf8("q"), Bytes.utf8("v"));
    FamilyIntents family =
        new FamilyIntents(Bytes.utf8("f"), SlotSet.NONE, Optional.empty(), List.of(cell));
    OneRegionCommit commit =
        new OneRegionCommit(
            START,
            START - 256,
            VERSION,
            ConflictLevel.ROW,
            false,
            List.of(new RowIntents(Bytes.utf8("r"), List.of(family))),
            GRANT,
            new IssueProof.Passed(START, START + 256, GRANT.secret()),
            List.of(),
            0);
    assertThat(hex(RegionRequestCodec.encode(commit)))
        .isEqualTo(
            "04"
                + "07"
                + "1900000000000100"
                + "1900000000000000"
                + GRANT_BYTES
                + "1900000000000182"
                + "03" // what is shown
                + "1900000000000100"
                + "1900000000000200"
                + "0102030405060708090a0b0c0d0e0f10"
                + "01"
                + "00"
                + "01"
                + "0172"
                + "01"
                + "0166"
                + "00".repeat(16)
                + "00"
                + "01"
                + "00"
                + "01"
                + "0171"
                + "0176");
    OneRegionCommit again = commit.again(commit.mark(), IssueProof.NONE);
    assertThat(RegionRequestCodec.decode(RegionRequestCodec.encode(again))).isEqualTo(again);
  }

  @Test
  void theBytesOfAOneRegionCommitWithReadsNeverChange() {
    byte[] without = RegionRequestCodec.encode(oneRegion(List.of()));
    OneRegionCommit commit =
        oneRegion(
            List.of(
                new RowRead(
                    Bytes.utf8("x"),
                    List.of(
                        Place.family(Bytes.utf8("f")),
                        Place.column(Bytes.utf8("g"), Bytes.utf8("q"))))));
    byte[] encoded = RegionRequestCodec.encode(commit);
    // The same up to the kind, and then what was read.
    assertThat(hex(encoded))
        .isEqualTo(
            "040b" + hex(without).substring(4) + "01" + "0178" + "02" + "01660100" + "0167000171");
    assertThat(RegionRequestCodec.decode(encoded)).isEqualTo(commit);
    assertThat(commit.again(VERSION + 1, IssueProof.NONE).reads()).isEqualTo(commit.reads());
    assertThat(commit.rowsOfRegion()).containsExactly(Bytes.utf8("r"), Bytes.utf8("x"));
  }

  @Test
  void aCommitWithReadsNamesSomeAndEachWithItsColumns() {
    byte[] none = RegionRequestCodec.encode(oneRegion(List.of()));
    none[1] = 11;
    byte[] empty = Arrays.copyOf(none, none.length + 1);
    assertThatThrownBy(() -> RegionRequestCodec.decode(empty))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("names none");
    assertThatThrownBy(() -> new RowRead(Bytes.utf8("x"), List.of()))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("no columns");
  }

  @Test
  void theBytesOfAOneRegionCommitOfATableWithIndexesNeverChange() {
    byte[] without = RegionRequestCodec.encode(oneRegion(List.of()));
    OneRegionCommit commit = oneRegion(List.of(), START - 512);
    byte[] encoded = RegionRequestCodec.encode(commit);
    int head = 2 * (2 + 2 * Long.BYTES);
    assertThat(hex(encoded))
        .isEqualTo(
            "040d"
                + hex(without).substring(4, head)
                + "18ffffffffffff00"
                + hex(without).substring(head));
    assertThat(RegionRequestCodec.decode(encoded)).isEqualTo(commit);
    assertThat(commit.again(VERSION + 1, IssueProof.NONE).knownSchema()).isEqualTo(START - 512);
    Arrays.fill(encoded, 18, 26, (byte) 0);
    assertThatThrownBy(() -> RegionRequestCodec.decode(encoded))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("names no timestamp");
    RowRead read = new RowRead(Bytes.utf8("x"), List.of(Place.family(Bytes.utf8("f"))));
    assertThatThrownBy(() -> commit.withReads(List.of(read)))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("cannot be certified");
  }

  private static OneRegionCommit oneRegion(List<RowRead> reads) {
    return oneRegion(reads, 0);
  }

  private static OneRegionCommit oneRegion(List<RowRead> reads, long knownSchema) {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, Bytes.utf8("q"), Bytes.utf8("v"));
    FamilyIntents family =
        new FamilyIntents(Bytes.utf8("f"), SlotSet.NONE, Optional.empty(), List.of(cell));
    return new OneRegionCommit(
        START,
        START - 256,
        VERSION,
        ConflictLevel.CELL,
        false,
        List.of(new RowIntents(Bytes.utf8("r"), List.of(family))),
        GRANT,
        IssueProof.NONE,
        reads,
        knownSchema);
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
