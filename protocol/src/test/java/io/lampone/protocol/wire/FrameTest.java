package io.lampone.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TimestampOracle;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Tag;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class FrameTest {

  private static final int MAX_MESSAGES = 100;

  private static final Bytes NONCE = Bytes.of(new byte[FrameLayout.NONCE_BYTES]);
  private static final Bytes MAC = Bytes.utf8("0123456789abcdef0123456789abcdef");

  private static final Tag TAG = new Tag(12, 13);
  private static final Grant GRANT = new Grant(0x0100000000000000L, 1, new Tag(10, 11));

  private final FrameWriter writer = new FrameWriter();

  @Test
  void theHelloOfVersionOneNeverChanges() {
    new Handshake.Hello(1, 1, 0, Bytes.EMPTY).writeTo(writer);
    assertThat(hex(writer.finish()))
        .isEqualTo(
            "00000013" + "e9436770" + "01" + "4c4d504e" + "00010001" + "0000000000000000" + "0000");
  }

  @Test
  void theWelcomeOfVersionOneNeverChanges() {
    new Handshake.Welcome(1, 0, 7, 1 << 20, 4096).writeTo(writer);
    assertThat(hex(writer.finish()).substring(16))
        .isEqualTo(
            "02"
                + "4c4d504e"
                + "0001"
                + "0000000000000000"
                + "0000000000000007"
                + "00100000"
                + "00001000");
  }

  @Test
  void theRejectOfVersionOneNeverChanges() {
    new Handshake.Reject(Handshake.Reason.NOT_PRIMARY, 1, 1, "no").writeTo(writer);
    assertThat(hex(writer.finish()).substring(16))
        .isEqualTo("03" + "4c4d504e" + "02" + "0001" + "0001" + "0002" + "6e6f");
  }

  @Test
  void theRequestsOfVersionOneNeverChange() {
    writer.start(FrameKind.REQUESTS);
    new WireRequest.Begin(1).writeTo(writer);
    new WireRequest.Validate(
            2,
            new Validator.Request(
                0x0100000000000000L, GRANT, true, new long[] {-1}, new long[] {3}))
        .writeTo(writer);
    new WireRequest.Status(3, 0x0100000000000100L, 0x0100000000000200L).writeTo(writer);
    assertThat(hex(writer.finish()).substring(16))
        .isEqualTo(
            "04"
                + "00000003"
                + "010000000000000001"
                + "09"
                + "0100000000000000"
                + "00000001"
                + "000000000000000a000000000000000b"
                + "020000000000000002"
                + "0100000000000000"
                + "05"
                + "00000001"
                + "00000001"
                + "ffffffffffffffff"
                + "0000000000000003"
                + "030000000000000003"
                + "0100000000000100"
                + "0100000000000200");
  }

  @Test
  void theRepliesOfVersionOneNeverChange() {
    writer.start(FrameKind.REPLIES);
    for (WireReply reply : everyReply()) {
      reply.writeTo(writer);
    }
    assertThat(hex(writer.finish()).substring(16))
        .isEqualTo(
            "05"
                + "00000009"
                + "10"
                + "0100000000000000"
                + "00000001"
                + "000000000000000a000000000000000b"
                + "010000000000000001"
                + "00000000000001000000000000000200"
                + "020000000000000002"
                + "0000000000000300"
                + "000000000000000c000000000000000d"
                + "030000000000000003"
                + "000000040000000000000500"
                + "040000000000000004"
                + "0500000006"
                + "050000000000000005"
                + "060000000000000006"
                + "0000000000000700"
                + "000000000000000c000000000000000d"
                + "070000000000000007"
                + "000000000000000c000000000000000d"
                + "080000000000000008"
                + "000000000000000c000000000000000d"
                + "090000000000000009"
                + "0200000000");
  }

  @Test
  void theMessagesOfAssignedTransactionsNeverChange() {
    writer.start(FrameKind.REQUESTS);
    Validator.Request conditional =
        new Validator.Request(
            0x0100000000000000L, GRANT, true, new long[] {-1}, new long[] {3}, true);
    new WireRequest.Validate(2, conditional).writeTo(writer);
    new WireRequest.Validate(3, conditional.repeated()).writeTo(writer);
    byte[] requests = copy(writer.finish());
    assertThat(hex(ByteBuffer.wrap(requests)).substring(16))
        .isEqualTo(
            "04"
                + "00000002"
                + "09"
                + "0100000000000000"
                + "00000001"
                + "000000000000000a000000000000000b"
                + "020000000000000002"
                + "0100000000000000"
                + "07"
                + "00000001"
                + "00000001"
                + "ffffffffffffffff"
                + "0000000000000003"
                + "020000000000000003"
                + "0100000000000000"
                + "06"
                + "00000001"
                + "00000001"
                + "ffffffffffffffff"
                + "0000000000000003");
    assertThat(
            WireRequest.readBatch(FrameReader.open(ByteBuffer.wrap(requests)), MAX_MESSAGES)
                .stream()
                .map(request -> ((WireRequest.Validate) request).request().conditional()))
        .containsExactly(true, true);

    List<WireReply> replies =
        List.of(
            new WireReply.Validated(2, new Validation.Assigned(0x300, TAG)),
            new WireReply.StatusIs(3, new Status.Assigned(0x300, Optional.of(TAG))),
            new WireReply.StatusIs(4, new Status.Assigned(0x300, Optional.empty())));
    writer.start(FrameKind.REPLIES);
    replies.forEach(reply -> reply.writeTo(writer));
    byte[] written = copy(writer.finish());
    assertThat(hex(ByteBuffer.wrap(written)).substring(16))
        .isEqualTo(
            "05"
                + "00000003"
                + "0a0000000000000002"
                + "0000000000000300"
                + "000000000000000c000000000000000d"
                + "0b0000000000000003"
                + "0000000000000300"
                + "000000000000000c000000000000000d"
                + "0b0000000000000004"
                + "0000000000000300"
                + "00".repeat(16));
    assertThat(WireReply.readBatch(FrameReader.open(ByteBuffer.wrap(written)))).isEqualTo(replies);
  }

  @Test
  void everyMessageIsReadAsItWasWritten() {
    Handshake.Hello hello = new Handshake.Hello(1, 9, -1, Bytes.of((byte) 1, (byte) 2));
    hello.writeTo(writer);
    assertThat(Handshake.Hello.readFrom(open(writer))).isEqualTo(hello);

    Handshake.Welcome welcome = new Handshake.Welcome(1, 5, 7, 1 << 20, 4096);
    welcome.writeTo(writer);
    assertThat(Handshake.Welcome.readFrom(open(writer))).isEqualTo(welcome);

    for (Handshake.Reason reason : Handshake.Reason.values()) {
      Handshake.Reject reject = new Handshake.Reject(reason, 1, 2, "text");
      reject.writeTo(writer);
      assertThat(Handshake.Reject.readFrom(open(writer))).isEqualTo(reject);
    }

    Handshake.Challenge challenge = new Handshake.Challenge(NONCE);
    challenge.writeTo(writer);
    assertThat(Handshake.Challenge.readFrom(open(writer))).isEqualTo(challenge);

    Handshake.Proof proof = new Handshake.Proof(NONCE, MAC);
    proof.writeTo(writer);
    assertThat(Handshake.Proof.readFrom(open(writer))).isEqualTo(proof);

    Handshake.Counterproof counterproof = new Handshake.Counterproof(MAC);
    counterproof.writeTo(writer);
    assertThat(Handshake.Counterproof.readFrom(open(writer))).isEqualTo(counterproof);

    GoAway goodbye = new GoAway(GoAway.Reason.HANDED_OVER, "host:1");
    goodbye.writeTo(writer);
    assertThat(GoAway.readFrom(open(writer))).isEqualTo(goodbye);

    Command command = new Command(7, "hold", "owner=a");
    command.writeTo(writer);
    assertThat(Command.readFrom(open(writer))).isEqualTo(command);

    Command.Result result = new Command.Result(7, true, "{}");
    result.writeTo(writer);
    assertThat(Command.Result.readFrom(open(writer))).isEqualTo(result);

    writer.start(FrameKind.REPLIES);
    everyReply().forEach(reply -> reply.writeTo(writer));
    assertThat(WireReply.readBatch(open(writer))).isEqualTo(everyReply());

    Validator.Request request =
        new Validator.Request(256, GRANT, false, new long[] {0, Long.MIN_VALUE}, new long[0]);
    writer.start(FrameKind.REQUESTS);
    new WireRequest.Validate(5, request).writeTo(writer);
    List<WireRequest> read = WireRequest.readBatch(open(writer), MAX_MESSAGES);
    assertThat(read)
        .usingRecursiveComparison()
        .isEqualTo(List.of(new WireRequest.Validate(5, request)));
  }

  @Test
  void aRequestTakesAsManyBytesAsItSays() {
    List<WireRequest> requests =
        List.of(
            new WireRequest.Begin(1),
            new WireRequest.Validate(
                2, new Validator.Request(256, GRANT, true, new long[3], new long[2])),
            new WireRequest.Status(3, 256, 0),
            new WireRequest.Report(
                4,
                new ProgressReport(
                    1,
                    new long[2],
                    Optional.of(List.of(new ProgressReport.Open(256, 3, "table"))))));
    writer.start(FrameKind.REQUESTS);
    for (WireRequest request : requests) {
      int before = writer.size();
      request.writeTo(writer);
      assertThat(writer.size() - before).isEqualTo(request.size());
    }
  }

  @Test
  void theFramesOfTheCapabilitiesNeverChange() {
    new Handshake.Proof(NONCE, MAC).writeTo(writer);
    assertThat(hex(writer.finish()).substring(16))
        .isEqualTo(
            "07" + "4c4d504e" + "00".repeat(32) + "30313233343536373839616263646566".repeat(2));
    new GoAway(GoAway.Reason.HANDED_OVER, "h:1").writeTo(writer);
    assertThat(hex(writer.finish()).substring(16)).isEqualTo("09" + "01" + "0003" + "683a31");
    new Command(7, "drain", "x").writeTo(writer);
    assertThat(hex(writer.finish()).substring(16))
        .isEqualTo("0a" + "0000000000000007" + "0005" + "647261696e" + "00000001" + "78");
    new Command.Result(7, true, "{}").writeTo(writer);
    assertThat(hex(writer.finish()).substring(16))
        .isEqualTo("0b" + "0000000000000007" + "01" + "00000002" + "7b7d");
  }

  @Test
  void aSaslStepIsItsNumberAndItsTokenWithinTheLimits() {
    new Handshake.Sasl(1, Bytes.utf8("ab")).writeTo(writer);
    assertThat(hex(writer.finish()).substring(16))
        .isEqualTo("12" + "4c4d504e" + "01" + "0002" + "6162");
    Bytes longest = Bytes.wrap(new byte[FrameLayout.MAX_SASL_TOKEN_BYTES]);
    Handshake.Sasl last = new Handshake.Sasl(FrameLayout.LAST_SASL_STEP, longest);
    last.writeTo(writer);
    assertThat(writer.size()).isEqualTo(FrameLayout.MAX_SASL_FRAME_BYTES);
    assertThat(Handshake.Sasl.readFrom(open(writer))).isEqualTo(last);
    Bytes longer = Bytes.wrap(new byte[FrameLayout.MAX_SASL_TOKEN_BYTES + 1]);
    assertThatThrownBy(() -> new Handshake.Sasl(1, longer)).isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> new Handshake.Sasl(FrameLayout.LAST_SASL_STEP + 1, Bytes.EMPTY))
        .isInstanceOf(MalformedException.class);
  }

  @Test
  void everyKindHasItsCode() {
    for (FrameKind kind : FrameKind.values()) {
      int code = kind == FrameKind.SASL ? 18 : kind.ordinal() + 1;
      assertThat(kind.code()).isEqualTo(code);
      assertThat(FrameKind.ofCode(kind.code())).isEqualTo(kind);
    }
    assertThatThrownBy(() -> FrameKind.ofCode(0)).isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> FrameKind.ofCode(14)).isInstanceOf(MalformedException.class);
  }

  @Test
  void aProofNeedsTheSecretBothNoncesAndTheNameAndIsNoCounterproof() {
    SharedSecret secret = new SharedSecret(Bytes.utf8("sixteen bytes or more"));
    Bytes other = Bytes.utf8("other nonce.....other nonce.....");
    Bytes name = new Identity("app", "shop").credential();
    Bytes mac = secret.clientMac(NONCE, other, name);
    assertThat(SharedSecret.same(mac, secret.clientMac(NONCE, other, name))).isTrue();
    assertThat(
            List.of(
                secret.clientMac(other, NONCE, name),
                secret.clientMac(NONCE, NONCE, name),
                secret.clientMac(NONCE, other, new Identity("app", "").credential()),
                secret.serverMac(NONCE, other, name),
                new SharedSecret(Bytes.utf8("another secret, as long"))
                    .clientMac(NONCE, other, name)))
        .noneMatch(wrong -> SharedSecret.same(mac, wrong));
    assertThatThrownBy(() -> new SharedSecret(Bytes.utf8("too short")))
        .hasMessageContaining("bytes=9");
  }

  @Test
  void anIdentityIsReadAsItWasWrittenAndStrangeNamesAreRefused() {
    Identity identity = new Identity("CN=app, O=Shop", "shop");
    assertThat(Identity.of(identity.credential())).isEqualTo(identity);
    assertThat(Identity.of(Bytes.EMPTY)).isEqualTo(Identity.NOBODY);
    assertThatThrownBy(() -> Identity.of(Bytes.utf8("no tenant")))
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> Identity.of(Bytes.utf8("a\nb\nc")))
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> new Identity("x".repeat(65), ""))
        .isInstanceOf(MalformedException.class);
  }

  @Test
  void idsThatDoNotIncreaseAreRefused() {
    writer.start(FrameKind.REQUESTS);
    new WireRequest.Begin(2).writeTo(writer);
    new WireRequest.Begin(2).writeTo(writer);
    assertThatThrownBy(() -> WireRequest.readBatch(open(writer), MAX_MESSAGES))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("ids do not increase");
  }

  @Test
  void aBatchOfNoneOrTooManyIsRefused() {
    writer.start(FrameKind.REQUESTS);
    assertThatThrownBy(() -> WireRequest.readBatch(open(writer), MAX_MESSAGES))
        .isInstanceOf(MalformedException.class);
    writer.start(FrameKind.REQUESTS);
    new WireRequest.Begin(1).writeTo(writer);
    new WireRequest.Begin(2).writeTo(writer);
    assertThatThrownBy(() -> WireRequest.readBatch(open(writer), 1))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("count=2");
  }

  @Test
  void everySingleFlippedBitIsNoticed() {
    writer.start(FrameKind.REPLIES);
    everyReply().forEach(reply -> reply.writeTo(writer));
    byte[] frame = copy(writer.finish());
    for (int bit = 0; bit < frame.length * Byte.SIZE; bit++) {
      byte[] damaged = frame.clone();
      damaged[bit / Byte.SIZE] ^= (byte) (1 << (bit % Byte.SIZE));
      assertThatThrownBy(() -> FrameReader.open(ByteBuffer.wrap(damaged)))
          .isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void everyTruncationIsNoticed() {
    new Handshake.Welcome(1, 0, 7, 1 << 20, 4096).writeTo(writer);
    byte[] frame = copy(writer.finish());
    for (int length = 0; length < frame.length; length++) {
      ByteBuffer cut = ByteBuffer.wrap(frame, 0, length);
      assertThatThrownBy(() -> FrameReader.open(cut)).isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void randomBodiesWithAValidChecksumAreReadOrRefusedAsMalformed() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 50_000; i++) {
      FrameKind kind = FrameKind.values()[random.nextInt(FrameKind.values().length)];
      byte[] noise = new byte[random.nextInt(64)];
      random.nextBytes(noise);
      writer.start(kind);
      for (byte b : noise) {
        writer.u8(random.nextInt(3) == 0 ? b : b & 3);
      }
      FrameReader reader = open(writer);
      try {
        switch (reader.kind()) {
          case HELLO -> Handshake.Hello.readFrom(reader);
          case WELCOME -> Handshake.Welcome.readFrom(reader);
          case REJECT -> Handshake.Reject.readFrom(reader);
          case REQUESTS -> WireRequest.readBatch(reader, MAX_MESSAGES);
          case REPLIES -> WireReply.readBatch(reader);
          case CHALLENGE -> Handshake.Challenge.readFrom(reader);
          case PROOF -> Handshake.Proof.readFrom(reader);
          case COUNTERPROOF -> Handshake.Counterproof.readFrom(reader);
          case SASL -> Handshake.Sasl.readFrom(reader);
          case GOODBYE -> GoAway.readFrom(reader);
          case COMMAND -> Command.readFrom(reader);
          case RESULT -> Command.Result.readFrom(reader);
          case TRANSFER -> Transfer.readFrom(reader);
          case TRANSFER_REPLY -> Transfer.Reply.readFrom(reader);
        }
      } catch (MalformedException e) {
        assertThat(e).as("seed=%d", seed).hasMessageMatching(".+");
      }
    }
  }

  private static List<WireReply> everyReply() {
    return List.of(
        new WireReply.Begun(1, new TimestampOracle.Begin(0x100, 0x200, GRANT)),
        new WireReply.Validated(2, new Validation.Passed(0x300, TAG)),
        new WireReply.Validated(3, new Validation.Conflict(4, 0x500)),
        new WireReply.Validated(4, new Validation.Refused(Validator.Reason.OVERLOADED, 6)),
        new WireReply.StatusIs(5, new Status.NotRequested()),
        new WireReply.StatusIs(6, new Status.Passed(0x700, TAG)),
        new WireReply.StatusIs(7, new Status.Conflict(TAG)),
        new WireReply.StatusIs(8, new Status.Unknown(Optional.of(TAG))),
        new WireReply.Failed(9, WireReply.Failure.BAD_TIMESTAMP, 0));
  }

  private static FrameReader open(FrameWriter writer) {
    return FrameReader.open(writer.finish());
  }

  private static byte[] copy(ByteBuffer frame) {
    byte[] bytes = new byte[frame.remaining()];
    frame.get(bytes);
    return bytes;
  }

  private static String hex(ByteBuffer frame) {
    return HexFormat.of().formatHex(copy(frame));
  }
}
