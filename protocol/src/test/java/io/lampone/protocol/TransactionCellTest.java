package io.lampone.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.lampone.protocol.TransactionCell.DeletedColumn;
import io.lampone.protocol.trust.Tag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TransactionCellTest {

  private static final RowFamily LEADER =
      new RowFamily("ns:t", Bytes.of((byte) 0, (byte) 0xff), Bytes.utf8("f"));

  @Test
  void theBytesOfAFollowerNeverChange() {
    TransactionCell cell = TransactionCell.follower(LEADER, 7);
    assertThat(HexFormat.of().formatHex(cell.encode()))
        .isEqualTo(
            "01" // format
                + "01" // PENDING
                + "0000000000000000" // commit timestamp
                + "0000000000000007" // flush number
                + "0000000000000000" // rolled-back slots 0..63
                + "0000000000000000" // 64..127
                + "00" // follower
                + "046e733a74" // table
                + "0200ff" // row
                + "0166" // family
                + "00"); // no deleted column
  }

  @Test
  void theBytesOfACommittedLeaderNeverChange() {
    TransactionCell cell =
        new TransactionCell(
            TransactionState.COMMITTED,
            0x0102030405060700L,
            1,
            SlotSet.NONE.with(1).with(127),
            Optional.empty(),
            List.of(LEADER),
            true,
            List.of(new DeletedColumn(3, Bytes.EMPTY)),
            Tag.NONE);
    assertThat(HexFormat.of().formatHex(cell.encode()))
        .isEqualTo(
            "01"
                + "02"
                + "0102030405060700"
                + "0000000000000001"
                + "0000000000000002"
                + "8000000000000000"
                + "01" // leader
                + "01" // complete
                + "01" // one follower
                + "046e733a74"
                + "0200ff"
                + "0166"
                + "01" // one deleted column
                + "03" // slot
                + "00"); // the empty qualifier
    assertThat(TransactionCell.decode(cell.encode())).isEqualTo(cell);
  }

  @Test
  void theBytesOfAProvedLeaderNeverChange() {
    Tag pass = new Tag(0x1112131415161718L, 0x2122232425262728L);
    TransactionCell cell =
        TransactionCell.leader(List.of(LEADER), true, 1)
            .withState(TransactionState.COMMITTED, 0x0102030405060700L)
            .provedBy(pass);
    assertThat(HexFormat.of().formatHex(cell.encode()))
        .isEqualTo(
            "02" // format
                + "02" // COMMITTED
                + "0102030405060700"
                + "0000000000000001"
                + "0000000000000000"
                + "0000000000000000"
                + "01" // leader
                + "01" // complete
                + "01" // one follower
                + "046e733a74"
                + "0200ff"
                + "0166"
                + "00" // no deleted column
                + "01" // a pass
                + "11121314151617182122232425262728");
    assertThat(TransactionCell.decode(cell.encode())).isEqualTo(cell);
    TransactionCell last = cell.withState(TransactionState.FINAL, cell.commitTimestamp());
    assertThat(last.pass()).isEqualTo(pass);
    assertThat(last.encode()[0]).isEqualTo((byte) 2);
    assertThat(cell.withState(TransactionState.ABORTED, 0).pass()).isEqualTo(Tag.NONE);
  }

  /** It stands at the end, so that it is read without the lists before it. */
  @Test
  void aProofIsReadWithTheHead_andOnlyACommittedLeaderHasOne() {
    byte[] bytes =
        TransactionCell.leader(List.of(LEADER), true, 1)
            .withState(TransactionState.COMMITTED, 512)
            .provedBy(new Tag(1, 2))
            .encode();
    assertThat(TransactionCell.decodeHead(bytes, 0, bytes.length).pass()).isEqualTo(new Tag(1, 2));
    TransactionCell pending = TransactionCell.leader(List.of(), true, 1);
    TransactionCell follower =
        TransactionCell.follower(LEADER, 1).withState(TransactionState.COMMITTED, 512);
    for (TransactionCell none : List.of(pending, follower)) {
      assertThatThrownBy(() -> none.provedBy(new Tag(1, 2)))
          .isInstanceOf(IllegalArgumentException.class);
    }
    for (int at : new int[] {0, 1, bytes.length - 17}) {
      byte[] wrong = bytes.clone();
      wrong[at] = at == 1 ? (byte) TransactionState.PENDING.code() : 3;
      assertThatThrownBy(() -> TransactionCell.decode(wrong))
          .isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void randomCellsReadBackAsTheyWere() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 2_000; i++) {
      TransactionCell cell = randomCell(random);
      assertThat(TransactionCell.decode(cell.encode())).as("seed=%d", seed).isEqualTo(cell);
    }
  }

  @Test
  void whatWasReadIsWrittenAsItWas() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 2_000; i++) {
      byte[] bytes = randomCell(random).encode();
      TransactionCell read = TransactionCell.decode(bytes);
      assertThat(read.encode()).as("seed=%d", seed).isEqualTo(bytes);
      assertThat(read.hashCode())
          .as("seed=%d", seed)
          .isEqualTo(TransactionCell.decode(bytes).hashCode());
    }
  }

  /**
   * Decoded, a list of the longest cell took a hundred times its bytes, for each read of its row.
   */
  @Test
  void theLongestListTakesNoMemoryWhereNobodyAsksForIt() {
    Encoder out = new Encoder(4 << 20);
    int followers = 690_000;
    out.u8(1).u8(1).i64(0).i64(1).slots(SlotSet.NONE).u8(1).bool(true).length(followers);
    for (int i = 0; i < followers; i++) {
      out.length(1).u8('t').length(1).u8(i).length(1).u8('f');
    }
    byte[] bytes = out.length(0).toByteArray();
    assertThat(bytes.length).isBetween(4_000_000, 4 << 20);
    List<TransactionCell> kept = new java.util.ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      kept.add(TransactionCell.decodeHead(bytes, 0, bytes.length));
    }
    assertThat(kept).allMatch(TransactionCell::followersComplete);
    assertThatThrownBy(kept.get(0)::encode).isInstanceOf(IllegalStateException.class);

    TransactionCell whole = TransactionCell.decodeWithoutFollowers(bytes, 0, bytes.length);
    assertThat(whole).isEqualTo(kept.get(0));
    assertThatThrownBy(whole::encode).isInstanceOf(IllegalStateException.class);

    int read = 0;
    for (RowFamily place : TransactionCell.decode(bytes).followers()) {
      assertThat(place.table()).isEqualTo("t");
      read++;
    }
    assertThat(read).isEqualTo(followers);
  }

  /** A hostile writer chooses the names; each look-up went through all of them. */
  @Test
  void lookUpsInAListOfNamesWithOneHashAreFast() {
    List<DeletedColumn> deleted = new ArrayList<>();
    for (int i = 0; i < 1 << 15; i++) {
      StringBuilder name = new StringBuilder();
      for (int bit = 1; bit < 1 << 15; bit <<= 1) {
        name.append((i & bit) == 0 ? "Aa" : "BB");
      }
      deleted.add(new DeletedColumn(0, Bytes.utf8(name.toString())));
    }
    Collections.shuffle(deleted, new Random(1));
    TransactionCell cell = TransactionCell.decode(listing(deleted).encode());
    assertTimeoutPreemptively(
        Duration.ofSeconds(10),
        () -> {
          assertThat(new HashSet<>(deleted)).hasSize(deleted.size());
          for (DeletedColumn column : deleted) {
            assertThat(cell.deletes(0, column.qualifier())).isTrue();
            assertThat(cell.deletes(1, column.qualifier())).isFalse();
          }
        });
  }

  private static TransactionCell listing(List<DeletedColumn> deleted) {
    return new TransactionCell(
        TransactionState.PENDING,
        0,
        1,
        SlotSet.NONE,
        Optional.empty(),
        List.of(),
        true,
        deleted,
        Tag.NONE);
  }

  @Test
  void withoutPlacesACellTellsItsStateAndTheNumberOfFollowersAlone() {
    RowFamily secret = new RowFamily("secret", Bytes.utf8("row-key"), Bytes.utf8("f"));
    TransactionCell leader =
        TransactionCell.leader(List.of(secret, secret), true, 7)
            .withState(TransactionState.COMMITTED, 1 << 20)
            .provedBy(new Tag(1, 2));
    byte[] shown = TransactionCell.decode(leader.encode()).withoutPlaces(Optional.empty()).encode();
    TransactionCell read = TransactionCell.decode(shown);
    assertThat(read.state()).isEqualTo(TransactionState.COMMITTED);
    assertThat(read.commitTimestamp()).isEqualTo(1 << 20);
    assertThat(read.followers()).hasSize(2);
    assertThat(read.followersComplete()).isTrue();
    assertThat(Bytes.wrap(shown).toUtf8()).doesNotContain("secret").doesNotContain("row-key");
    RowFamily hash = new RowFamily("", Bytes.utf8("hash"), Bytes.EMPTY);
    assertThat(TransactionCell.follower(secret, 7).withoutPlaces(Optional.of(hash)).leader())
        .hasValue(hash);
  }

  @Test
  void damagedBytesAreRefusedAndNothingElseHappens() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 5_000; i++) {
      byte[] bytes = randomCell(random).encode();
      byte[] damaged =
          random.nextBoolean() ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes.clone();
      if (damaged.length > 0) {
        damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      }
      try {
        TransactionCell.decode(damaged);
      } catch (MalformedException expected) {
        assertThat(expected).as("seed=%d", seed).hasMessageMatching(".+");
      }
    }
    assertThatThrownBy(() -> TransactionCell.decode(new byte[0]))
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> TransactionCell.decode(new byte[] {9, 1}))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("version=9");
  }

  @Test
  void aCommitTimestampAndACommittedStateGoTogether() {
    TransactionCell pending = TransactionCell.follower(LEADER, 1);
    assertThatThrownBy(() -> pending.withState(TransactionState.COMMITTED, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> pending.withState(TransactionState.ABORTED, 512))
        .isInstanceOf(IllegalArgumentException.class);
  }

  static TransactionCell randomCell(Random random) {
    TransactionState[] states = TransactionState.values();
    TransactionState state = states[random.nextInt(states.length)];
    SlotSet slots = SlotSet.NONE;
    for (int i = random.nextInt(4); i > 0; i--) {
      slots = slots.with(random.nextInt(128));
    }
    boolean leader = random.nextBoolean();
    List<RowFamily> followers =
        leader ? random.ints(random.nextInt(4)).mapToObj(i -> place(random)).toList() : List.of();
    List<DeletedColumn> deleted =
        random
            .ints(random.nextInt(4), 0, 128)
            .mapToObj(s -> new DeletedColumn(s, bytes(random)))
            .toList();
    Tag pass =
        leader && state.isCommitted() && random.nextBoolean()
            ? new Tag(random.nextLong(), 1)
            : Tag.NONE;
    return new TransactionCell(
        state,
        state.isCommitted() ? 1 + random.nextLong(Long.MAX_VALUE) : 0,
        random.nextLong(),
        slots,
        leader ? Optional.empty() : Optional.of(place(random)),
        followers,
        leader && random.nextBoolean(),
        deleted,
        pass);
  }

  static RowFamily place(Random random) {
    return new RowFamily("t" + random.nextInt(3), bytes(random), bytes(random));
  }

  static Bytes bytes(Random random) {
    byte[] bytes = new byte[random.nextInt(200)];
    random.nextBytes(bytes);
    return Bytes.wrap(bytes);
  }
}
