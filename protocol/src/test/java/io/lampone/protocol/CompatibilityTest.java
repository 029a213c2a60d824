package io.lampone.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.LeaderReadRequest;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.RegionReply;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.request.RegionRequestCodec;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proofs;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What client and coprocessor say to each other, one version step apart in either direction. */
class CompatibilityTest {

  private static final long START = 0x1900000000000100L;

  /** A message, and how the other side reads it. */
  record Message(String name, byte[] bytes, Consumer<byte[]> reader) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Message> messages() {
    RegionRequest commit =
        new CommitLeader(
            START,
            START,
            Bytes.utf8("r"),
            Bytes.utf8("f"),
            START + 256,
            Proofs.OPEN.pass(START, START + 256));
    ReadRequest read = new ReadRequest(START, true, START, SlotSet.NONE, Map.of());
    RowFamily place = new RowFamily("t", Bytes.utf8("r"), Bytes.utf8("f"));
    Fate fate =
        new Fate(START + 256, Proofs.OPEN.fate(new TransactionId(START, place), START + 256));
    byte[] heal =
        RegionRequestCodec.encode(new Heal(START, START, List.of(Bytes.utf8("r")), place, fate));
    byte[] abort =
        RegionRequestCodec.encode(
            new AbortLeader(
                START,
                START,
                Bytes.utf8("r"),
                Bytes.utf8("f"),
                false,
                Proofs.OPEN.grant(START, 0)));
    ReadRequest judging = read.withJudgments(Map.of(new TransactionId(START, place), fate));
    LeaderReadRequest leader = new LeaderReadRequest(START, START, Bytes.utf8("f"));
    byte[] reply = new RegionReply(List.of(RegionReply.Outcome.NOTHING)).encode();
    return Stream.of(
        new Message(
            "commit, with a pass", RegionRequestCodec.encode(commit), RegionRequestCodec::decode),
        new Message("abort, of its owner", abort, RegionRequestCodec::decode),
        new Message("read request, timestamps", read.encode(), ReadRequest::decode),
        new Message("heal, with the statement of a leader", heal, RegionRequestCodec::decode),
        new Message("judging read, timestamps", judging.encode(), ReadRequest::decode),
        new Message("leader read", leader.encode(), LeaderReadRequest::decode),
        new Message(
            "fast-path read, timestamps",
            FastReadRequest.of(START, START, true).encode(),
            FastReadRequest::decode),
        new Message("region reply", reply, bytes -> RegionReply.decode(bytes, 0, bytes.length)));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void everyMessageIsWrittenInTheAnnouncedVersion(Message message) {
    int version = Compatibility.OLDEST_REQUESTS;
    if (message.name().contains("of its owner") || message.name().contains("a pass")) {
      version = 3;
    } else if (message.name().contains("timestamps")
        || message.name().contains("of a leader")
        || message.name().contains("reply")) {
      version = Compatibility.REQUESTS;
    }
    assertThat(message.bytes()[0]).isEqualTo((byte) version);
    message.reader().accept(message.bytes());
  }

  @ParameterizedTest
  @MethodSource("messages")
  void oneVersionNewerIsRefusedAndTheReceiverIsToBeUpgraded(Message message) {
    message.bytes()[0] = Compatibility.REQUESTS + 1;
    assertThatThrownBy(() -> message.reader().accept(message.bytes()))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("the other side is newer; upgrade this one first")
        .hasMessageContaining("version=5 known=");
  }

  @ParameterizedTest
  @MethodSource("messages")
  void oneVersionOlderThanTheOldestIsRefusedAndTheSenderIsToBeUpgraded(Message message) {
    message.bytes()[0] = Compatibility.OLDEST_REQUESTS - 1;
    assertThatThrownBy(() -> message.reader().accept(message.bytes()))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("the other side is too old; upgrade it");
  }
}
