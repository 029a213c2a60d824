package io.lampone.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.HotRow;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.ServerReport;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** The server's reader of requests against the one that makes objects. */
final class RequestCursorTest {

  private static final long REPORTING =
      Capabilities.PROGRESS | Capabilities.HOT_ROWS | Capabilities.WORK;
  private static final int MAX_MESSAGES = 6;

  private final FrameWriter writer = new FrameWriter();
  private final RequestCursor cursor = new RequestCursor(MAX_MESSAGES);

  @Test
  void showsEveryRequestAsItWasWritten() {
    List<WireRequest> requests =
        List.of(
            new WireRequest.Begin(Long.MIN_VALUE),
            validate(-1, 256, true, new long[] {0, Long.MIN_VALUE}, new long[] {-1}),
            validate(0, 512, false, new long[0], new long[] {Long.MAX_VALUE, 3}),
            new WireRequest.Status(Long.MAX_VALUE, 768, 1024));
    cursor.open(embedded(frame(requests)), 0);
    assertThat(cursor.count()).isEqualTo(4);
    assertThat(cursor.firstId()).isEqualTo(Long.MIN_VALUE);
    assertThat(cursor.lastId()).isEqualTo(Long.MAX_VALUE);
    assertThat(cursor.highestTimestamp()).isEqualTo(1024);
    assertThat(read()).usingRecursiveComparison().isEqualTo(requests);
    assertThat(cursor.next()).isFalse();
    cursor.rewind();
    assertThat(read()).usingRecursiveComparison().isEqualTo(requests);
  }

  @Test
  void showsThePriorityOnlyToThoseWhoHaveTheCapability() {
    byte[] frame = frame(List.of(new WireRequest.Begin(1), new WireRequest.Status(2, 256, 0)));
    int second = FrameLayout.MESSAGES_OFFSET + FrameLayout.BEGIN_BYTES;
    frame[second] |= (byte) (Priority.BATCH.code() << FrameLayout.PRIORITY_SHIFT);
    seal(frame);
    cursor.open(ByteBuffer.wrap(frame), Capabilities.PRIORITY);
    cursor.next();
    assertThat(cursor.priority()).isEqualTo(Priority.DEFAULT);
    cursor.next();
    assertThat(cursor.priority()).isEqualTo(Priority.BATCH);
    assertThat(cursor.type()).isEqualTo(RequestType.STATUS);
    assertThatThrownBy(() -> cursor.open(ByteBuffer.wrap(frame), 0))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("priority");
    frame[second] |= (byte) (3 << FrameLayout.PRIORITY_SHIFT);
    seal(frame);
    assertThatThrownBy(() -> cursor.open(ByteBuffer.wrap(frame), Capabilities.PRIORITY))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("priority=3");
  }

  @Test
  void showsConditionsOnlyToThoseWhoHaveTheCapability() {
    long[] one = {7};
    byte[] frame =
        frame(
            List.of(
                validate(1, 256, true, one, one),
                new WireRequest.Validate(
                    2,
                    new Validator.Request(256, Proofs.OPEN.grant(256, 0), true, one, one, true))));
    cursor.open(ByteBuffer.wrap(frame), Capabilities.ASSIGNED);
    assertThat(cursor.can(Capabilities.ASSIGNED)).isTrue();
    assertThat(cursor.recordedHashes()).isEqualTo(3);
    cursor.next();
    assertThat(cursor.has(FrameLayout.FLAG_CONDITIONAL)).isFalse();
    cursor.next();
    assertThat(cursor.has(FrameLayout.FLAG_CONDITIONAL)).isTrue();
    assertThatThrownBy(() -> cursor.open(ByteBuffer.wrap(frame), Capabilities.PRIORITY))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("conditional");
  }

  @Test
  void aFrameIsAsUrgentAsItsMostUrgentRequest() {
    Priority[] expected = {Priority.DEFAULT, Priority.SYSTEM, Priority.BATCH, Priority.DEFAULT};
    int[][] codes = {{0, 2}, {2, 1}, {2, 2}, {0, 0}};
    for (int i = 0; i < codes.length; i++) {
      byte[] frame = frame(List.of(new WireRequest.Begin(1), new WireRequest.Begin(2)));
      int first = FrameLayout.MESSAGES_OFFSET;
      frame[first] |= (byte) (codes[i][0] << FrameLayout.PRIORITY_SHIFT);
      frame[first + FrameLayout.BEGIN_BYTES] |= (byte) (codes[i][1] << FrameLayout.PRIORITY_SHIFT);
      seal(frame);
      cursor.open(ByteBuffer.wrap(frame), Capabilities.PRIORITY);
      assertThat(cursor.mostUrgent()).isEqualTo(expected[i]);
    }
  }

  @Test
  void piecesAreAsLongAsTheyMayBeAndTogetherTheWholeFrame() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      List<WireRequest> requests = new ArrayList<>();
      for (int id = random.nextInt(MAX_MESSAGES); id < MAX_MESSAGES; id++) {
        requests.add(
            random.nextBoolean()
                ? new WireRequest.Begin(id)
                : validate(id, 256, true, new long[random.nextInt(20)], new long[0]));
      }
      int maxBytes = 1 + random.nextInt(300);
      cursor.open(embedded(frame(requests)), 0);
      int piece = cursor.cut(maxBytes);
      List<WireRequest> read = new ArrayList<>();
      while (true) {
        int before = read.size();
        read.addAll(read());
        int count = read.size() - before;
        assertThat(count).as("seed=%d", seed).isPositive();
        assertThat(piece <= maxBytes || count == 1).as("seed=%d", seed).isTrue();
        cursor.rewind();
        assertThat(read()).as("seed=%d", seed).hasSize(count);
        int bytes = piece;
        piece = cursor.nextPiece(maxBytes);
        if (piece == 0) {
          break;
        }
        assertThat(bytes + requests.get(read.size()).size())
            .as("seed=%d", seed)
            .isGreaterThan(maxBytes);
      }
      assertThat(read).as("seed=%d", seed).usingRecursiveComparison().isEqualTo(requests);
    }
  }

  @Test
  void theCodesOfPrioritiesAreTheirOrder() {
    for (Priority priority : Priority.values()) {
      assertThat(priority.code()).isEqualTo(priority.ordinal());
    }
  }

  @Test
  void everyFlippedBitAndEveryTruncationIsNoticed() {
    byte[] frame =
        frame(
            List.of(
                new WireRequest.Begin(1), validate(2, 256, true, new long[] {1}, new long[] {2})));
    for (int bit = 0; bit < frame.length * Byte.SIZE; bit++) {
      byte[] damaged = frame.clone();
      damaged[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      assertThatThrownBy(() -> cursor.open(ByteBuffer.wrap(damaged), Capabilities.PRIORITY))
          .as("bit=%d", bit)
          .isInstanceOf(MalformedException.class);
    }
    for (int length = 0; length < frame.length; length++) {
      ByteBuffer cut = ByteBuffer.wrap(frame, 0, length);
      assertThatThrownBy(() -> cursor.open(cut, Capabilities.PRIORITY))
          .isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void aCountOfWorkThatIsThereTwiceIsRefused() {
    ProgressReport report =
        new ProgressReport(
            0,
            new long[0],
            Optional.empty(),
            Optional.empty(),
            new TreeMap<>(Map.of(1, 2, 3, 4)),
            Optional.empty());
    byte[] frame = frame(List.of(new WireRequest.Report(1, report)));
    assertThat(byTheOtherReader(frame)).isPresent();
    assertThat(byTheCursor(frame)).isPresent();
    ByteBuffer.wrap(frame).putShort(frame.length - FrameLayout.WORK_BYTES, (short) 1);
    seal(frame);
    assertThat(byTheOtherReader(frame)).isEmpty();
    assertThat(byTheCursor(frame)).isEmpty();
  }

  /** Bodies between valid and noise, with right checksums: both readers say the same. */
  @Test
  void acceptsExactlyWhatTheOtherReaderAccepts() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int accepted = 0;
    for (int i = 0; i < 200_000; i++) {
      byte[] frame = frame(randomRequests(random));
      for (int changes = random.nextInt(3); changes > 0; changes--) {
        int at = FrameLayout.KIND_OFFSET + random.nextInt(frame.length - FrameLayout.KIND_OFFSET);
        frame[at] = (byte) (random.nextBoolean() ? random.nextInt(4) : random.nextInt());
      }
      if (random.nextInt(4) == 0) {
        int shorter = FrameLayout.BODY_OFFSET + random.nextInt(frame.length);
        frame = Arrays.copyOf(frame, shorter);
      }
      seal(frame);
      Optional<List<WireRequest>> expected = byTheOtherReader(frame);
      Optional<List<WireRequest>> found = byTheCursor(frame);
      assertThat(found.isPresent()).as("seed=%d i=%d", seed, i).isEqualTo(expected.isPresent());
      if (found.isPresent()) {
        accepted++;
        assertThat(DeepValues.of(found.get()))
            .as("seed=%d i=%d", seed, i)
            .isEqualTo(DeepValues.of(expected.get()));
      }
    }
    assertThat(accepted).as("seed=%d", seed).isBetween(20_000, 180_000);
  }

  private Optional<List<WireRequest>> byTheOtherReader(byte[] frame) {
    try {
      return Optional.of(
          WireRequest.readBatch(FrameReader.open(ByteBuffer.wrap(frame)), MAX_MESSAGES));
    } catch (MalformedException e) {
      return Optional.empty();
    }
  }

  private Optional<List<WireRequest>> byTheCursor(byte[] frame) {
    try {
      cursor.open(
          embedded(frame),
          Capabilities.PRIORITY
              | Capabilities.ASSIGNED
              | Capabilities.BUCKETS
              | Capabilities.RESERVATIONS
              | REPORTING);
    } catch (MalformedException e) {
      return Optional.empty();
    }
    return Optional.of(read());
  }

  /** Makes objects of what the cursor shows. */
  private List<WireRequest> read() {
    List<WireRequest> requests = new ArrayList<>();
    while (cursor.next()) {
      requests.add(
          switch (cursor.type()) {
            case RequestType.BEGIN -> new WireRequest.Begin(cursor.id());
            case RequestType.PROGRESS -> new WireRequest.Report(cursor.id(), report(cursor));
            case RequestType.STATUS ->
                new WireRequest.Status(cursor.id(), cursor.startTimestamp(), cursor.snapshot());
            case RequestType.VOTE -> new WireRequest.Vote(cursor.id(), vote(cursor));
            case RequestType.RESERVE ->
                new WireRequest.Reserve(
                    cursor.id(), validation(cursor), cursor.has(FrameLayout.FLAG_RELEASE));
            default -> new WireRequest.Validate(cursor.id(), validation(cursor));
          });
    }
    return requests;
  }

  private static Validator.Request validation(RequestCursor cursor) {
    long[] check = new long[cursor.checks()];
    Arrays.setAll(check, cursor::check);
    long[] record = new long[cursor.records()];
    Arrays.setAll(record, cursor::record);
    Grant grant = cursor.has(FrameLayout.FLAG_GRANT) ? grantOf(cursor) : new Grant(0, 0, Tag.NONE);
    return new Validator.Request(
        cursor.startTimestamp(),
        grant,
        cursor.has(FrameLayout.FLAG_FIRST_SENDING),
        check,
        record,
        new Validator.Terms(
            cursor.has(FrameLayout.FLAG_CONDITIONAL),
            cursor.has(FrameLayout.FLAG_REPORTED),
            cursor.has(FrameLayout.FLAG_SHARDED) ? cursor.tail().mapVersion() : 0));
  }

  private static Validator.Vote vote(RequestCursor cursor) {
    long[] check = new long[cursor.checks()];
    Arrays.setAll(check, cursor::check);
    long[] record = new long[cursor.records()];
    Arrays.setAll(record, cursor::record);
    TailCursor tail = cursor.tail();
    return new Validator.Vote(
        new Validator.Assignment(
            cursor.startTimestamp(), tail.commitTimestamp(), new Tag(tail.pass(0), tail.pass(1))),
        tail.incarnation(),
        tail.from(),
        tail.reads(),
        check,
        record);
  }

  @Test
  void showsVotesAndMapsOnlyToThoseWhoHaveTheCapability() {
    Random random = new Random(1);
    byte[] vote = frame(List.of(randomVote(1, random)));
    byte[] sharded = frame(List.of(sharded(1, random)));
    for (byte[] frame : List.of(vote, sharded)) {
      cursor.open(ByteBuffer.wrap(frame), Capabilities.ASSIGNED | Capabilities.BUCKETS);
      assertThat(cursor.validations()).isEqualTo(1);
      assertThatThrownBy(() -> cursor.open(ByteBuffer.wrap(frame), Capabilities.ASSIGNED))
          .isInstanceOf(MalformedException.class)
          .hasMessageContaining("capability");
    }
  }

  private static WireRequest randomVote(long id, Random random) {
    long[] check = random.longs(random.nextInt(4)).toArray();
    return new WireRequest.Vote(
        id,
        new Validator.Vote(
            new Validator.Assignment(
                random.nextLong(),
                random.nextLong(),
                new Tag(random.nextLong(), random.nextLong())),
            random.nextLong(),
            random.nextLong(),
            random.nextInt(check.length + 1),
            check,
            random.longs(random.nextInt(4)).toArray()));
  }

  private static WireRequest randomReserve(long id, Random random) {
    return new WireRequest.Reserve(
        id,
        new Validator.Request(
            random.nextLong(),
            Proofs.OPEN.grant(256, random.nextInt(3)),
            false,
            random.longs(random.nextInt(4)).toArray(),
            random.longs(random.nextInt(4)).toArray(),
            new Validator.Terms(false, false, random.nextInt(2))),
        random.nextBoolean());
  }

  private static WireRequest sharded(long id, Random random) {
    return new WireRequest.Validate(
        id,
        new Validator.Request(
            256,
            Proofs.OPEN.grant(256, 0),
            random.nextBoolean(),
            random.longs(random.nextInt(4)).toArray(),
            random.longs(random.nextInt(4)).toArray(),
            new Validator.Terms(true, false, 1 + random.nextInt(1000))));
  }

  private static ProgressReport report(RequestCursor cursor) {
    ReportCursor report = cursor.report();
    long[] ended = new long[report.ended()];
    Arrays.setAll(ended, report::ended);
    return new ProgressReport(
        report.starts(),
        ended,
        report.lists() ? Optional.of(report.open()) : Optional.empty(),
        report.listsHotRows() ? Optional.of(report.hotRows()) : Optional.empty(),
        work(report),
        report.server());
  }

  private static SortedMap<Integer, Integer> work(ReportCursor report) {
    SortedMap<Integer, Integer> work = new TreeMap<>();
    report.work(work::put);
    return work;
  }

  private static SortedMap<Integer, Integer> randomWork(Random random) {
    SortedMap<Integer, Integer> work = new TreeMap<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      work.put(random.nextInt(1 << 16), random.nextInt(Integer.MAX_VALUE));
    }
    return work;
  }

  private static Optional<ServerReport> randomServer(Random random) {
    SortedMap<String, Long> values = new TreeMap<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      values.put(random.nextBoolean() ? "epoch" : "requests.Flush", random.nextLong());
    }
    return random.nextBoolean() ? Optional.empty() : Optional.of(new ServerReport("h:1", values));
  }

  private static List<WireRequest> randomRequests(Random random) {
    List<WireRequest> requests = new ArrayList<>();
    long id = random.nextInt(5);
    for (int i = random.nextInt(MAX_MESSAGES + 1); i >= 0; i--) {
      requests.add(
          switch (random.nextInt(7)) {
            case 0 -> new WireRequest.Begin(id);
            case 3 -> randomVote(id, random);
            case 4 -> sharded(id, random);
            case 5 -> randomReserve(id, random);
            case 1 -> new WireRequest.Status(id, random.nextLong(), random.nextLong());
            case 2 -> new WireRequest.Report(id, randomReport(random));
            default ->
                validate(
                    id,
                    random.nextLong(),
                    random.nextBoolean(),
                    random.longs(random.nextInt(4)).toArray(),
                    random.longs(random.nextInt(4)).toArray());
          });
      id += random.nextInt(20) == 0 ? 0 : 1;
    }
    return requests;
  }

  private static ProgressReport randomReport(Random random) {
    List<ProgressReport.Open> open = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      open.add(
          new ProgressReport.Open(
              random.nextLong(), random.nextInt(), random.nextBoolean() ? "" : "a:b,c"));
    }
    return new ProgressReport(
        random.nextInt(ProgressReport.MAX_STARTS + 1),
        random.longs(random.nextInt(4)).toArray(),
        random.nextBoolean() ? Optional.empty() : Optional.of(open),
        random.nextBoolean() ? Optional.empty() : Optional.of(randomRows(random)),
        randomWork(random),
        randomServer(random));
  }

  private static List<HotRow> randomRows(Random random) {
    List<HotRow> rows = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      rows.add(
          new HotRow(
              "range",
              random.nextBoolean() ? "t" : "a:b",
              random.nextBoolean() ? "" : "r s",
              random.nextInt(Integer.MAX_VALUE),
              random.nextLong()));
    }
    return rows;
  }

  private static WireRequest validate(
      long id, long start, boolean first, long[] check, long[] record) {
    return new WireRequest.Validate(
        id, new Validator.Request(start, Proofs.OPEN.grant(start, 0), first, check, record));
  }

  private byte[] frame(List<WireRequest> requests) {
    writer.start(FrameKind.REQUESTS);
    requests.forEach(request -> request.writeTo(writer));
    ByteBuffer finished = writer.finish();
    byte[] frame = new byte[finished.remaining()];
    finished.get(frame);
    return frame;
  }

  /** Corrects length and checksum. */
  private static void seal(byte[] frame) {
    CRC32C crc = new CRC32C();
    crc.update(frame, FrameLayout.KIND_OFFSET, frame.length - FrameLayout.KIND_OFFSET);
    ByteBuffer.wrap(frame)
        .putInt(FrameLayout.LENGTH_OFFSET, frame.length - FrameLayout.HEAD_BYTES)
        .putInt(FrameLayout.CRC_OFFSET, (int) crc.getValue());
  }

  /** The frame in the middle of a direct buffer, as it comes from a socket. */
  private static ByteBuffer embedded(byte[] frame) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(frame.length + 10);
    buffer.position(5).put(frame).position(5).limit(5 + frame.length);
    return buffer;
  }

  private static Grant grantOf(RequestCursor cursor) {
    return new Grant(
        cursor.grant().first(),
        cursor.grant().span(),
        new Tag(cursor.grant().secret(0), cursor.grant().secret(1)));
  }
}
