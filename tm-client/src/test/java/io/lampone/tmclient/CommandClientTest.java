package io.lampone.tmclient;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Command;
import io.lampone.protocol.wire.Handshake;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class CommandClientTest {

  private ScriptedServer server;
  private CommandClient client;

  @BeforeEach
  void start() throws Exception {
    server = new ScriptedServer();
    client = new CommandClient(config().build());
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    server.close();
  }

  @Test
  void anAnswerCarriesWhatTheServerSaysAndItsEpoch() throws Exception {
    CompletableFuture<CommandAnswer> answer = ask("status");
    ScriptedServer.Talk talk = greet(7, Capabilities.COMMANDS);
    Command command = Command.readFrom(talk.read());
    assertThat(command.name()).isEqualTo("status");
    assertThat(command.argument()).isEqualTo("argument");
    talk.say(new Command.Result(command.id(), true, "{}"));
    assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(new CommandAnswer(true, "{}", 7));
    talk.awaitEnd();
  }

  @Test
  void aRefusalIsAnAnswerToo() throws Exception {
    CompletableFuture<CommandAnswer> answer = ask("drain");
    ScriptedServer.Talk talk = greet(0, Capabilities.COMMANDS);
    Command command = Command.readFrom(talk.read());
    talk.say(new Command.Result(command.id(), false, "not an administrator"));
    assertThat(answer.get(60, TimeUnit.SECONDS))
        .isEqualTo(new CommandAnswer(false, "not an administrator", 0));
  }

  @Test
  void aServerThatTakesNoCommandsIsNamed() throws Exception {
    CompletableFuture<CommandAnswer> answer = ask("status");
    greet(1, 0).awaitEnd();
    assertThat(failure(answer).kind()).isEqualTo(Kind.INCOMPATIBLE);
    assertThat(failure(answer)).hasMessageContaining("command=status");
  }

  @Test
  void whereNobodyListensOrAnswersTheQuestionFailsInTime() throws Exception {
    assertThat(failure(client.ask(new InetSocketAddress("127.0.0.1", 1), "status", "")))
        .hasMessageContaining("cannot connect");
    try (CommandClient hasty =
        new CommandClient(config().requestTimeout(Duration.ofSeconds(3)).build())) {
      CompletableFuture<CommandAnswer> answer = hasty.ask(server.socketAddress(), "status", "");
      greet(1, Capabilities.COMMANDS);
      assertThat(failure(answer)).hasMessageContaining("no answer to the command in time");
    }
    try (CommandClient hasty =
        new CommandClient(config().connectTimeout(Duration.ofSeconds(1)).build())) {
      assertThat(failure(hasty.ask(server.socketAddress(), "status", "")))
          .hasMessageContaining("does not greet");
    }
  }

  @Test
  void aCommandThatTakesLongerThanARequestIsWaitedFor() throws Exception {
    TransactionManagerClientConfig config =
        config()
            .connectTimeout(Duration.ofSeconds(30))
            .requestTimeout(Duration.ofMillis(100))
            .build();
    try (CommandClient hasty = new CommandClient(config)) {
      CompletableFuture<CommandAnswer> answer =
          hasty.ask(server.socketAddress(), "handover", "", Duration.ofSeconds(60));
      ScriptedServer.Talk talk = greet(1, Capabilities.COMMANDS);
      Command command = Command.readFrom(talk.read());
      assertThat(failure(hasty.ask(server.socketAddress(), "status", "")))
          .hasMessageContaining("no answer to the command in time");
      assertThat(answer).isNotDone();
      talk.say(new Command.Result(command.id(), true, "{}"));
      assertThat(answer.get(60, TimeUnit.SECONDS).succeeded()).isTrue();
    }
  }

  /** The caller may be ZooKeeper's only thread; and what waits for a name server has an end too. */
  @Test
  void aNameServerThatHangsHoldsUpNobody() throws Exception {
    CompletableFuture<LookUp> asked = new CompletableFuture<>();
    TransactionManagerClientConfig hasty = config().requestTimeout(Duration.ofMillis(200)).build();
    try (CommandClient waiting = new CommandClient(hasty, loop -> new Hanging(asked))) {
      InetSocketAddress named = InetSocketAddress.createUnresolved("tm.example", 17310);
      assertThat(failure(waiting.ask(named, "status", "")))
          .hasMessageContaining("no answer to the command in time");
      assertThat(asked.get(60, TimeUnit.SECONDS).thread()).isNotSameAs(Thread.currentThread());
    }
  }

  /** Whoever waits is told, wherever the question was on its way. */
  @Test
  void closingFailsWhatHasNotBeenAnswered() throws Exception {
    CompletableFuture<LookUp> asked = new CompletableFuture<>();
    CommandClient looking = new CommandClient(config().build(), loop -> new Hanging(asked));
    InetSocketAddress named = InetSocketAddress.createUnresolved("tm.example", 17310);
    CompletableFuture<CommandAnswer> lookedUp = looking.ask(named, "status", "");
    CompletableFuture<InetSocketAddress> found = asked.get(60, TimeUnit.SECONDS).found();
    looking.close();
    assertThat(failure(lookedUp).kind()).isEqualTo(Kind.CLOSED);
    found.complete(server.socketAddress());

    CompletableFuture<CommandAnswer> sent = ask("handover");
    greet(1, Capabilities.COMMANDS).read();
    client.close();
    failure(sent);
    assertThat(failure(ask("status")).kind()).isEqualTo(Kind.CLOSED);
  }

  @Test
  void aServerThatHangsUpBeforeTheAnswerIsNoAnswer() throws Exception {
    CompletableFuture<CommandAnswer> answer = ask("handover");
    ScriptedServer.Talk talk = greet(1, Capabilities.COMMANDS);
    talk.read();
    talk.hangUp();
    assertThat(failure(answer).kind()).isEqualTo(Kind.UNAVAILABLE);
  }

  /** A name that was asked for, and on which thread. */
  private record LookUp(Thread thread, CompletableFuture<InetSocketAddress> found) {}

  /** Finds no name before the test does. */
  private record Hanging(CompletableFuture<LookUp> asked) implements Transport {

    @Override
    public CompletableFuture<InetSocketAddress> resolve(InetSocketAddress address) {
      CompletableFuture<InetSocketAddress> found = new CompletableFuture<>();
      asked.complete(new LookUp(Thread.currentThread(), found));
      return found;
    }

    @Override
    public void connect(InetSocketAddress address, Listener listener) {
      throw new AssertionError("an address that is not known");
    }
  }

  private CompletableFuture<CommandAnswer> ask(String name) {
    return client.ask(server.socketAddress(), name, "argument");
  }

  private ScriptedServer.Talk greet(long epoch, long capabilities) throws Exception {
    ScriptedServer.Talk talk = server.nextUngreeted();
    Handshake.Hello hello = Handshake.Hello.readFrom(talk.read());
    assertThat(Capabilities.has(hello.capabilities(), Capabilities.COMMANDS)).isTrue();
    talk.say(
        new Handshake.Welcome(
            1, capabilities, epoch, ScriptedServer.MAX_FRAME_BYTES, ScriptedServer.MAX_MESSAGES));
    return talk;
  }

  private static TransactionManagerClientConfig.Builder config() {
    return TransactionManagerClientConfig.builder();
  }

  private static TransactionManagerException failure(CompletableFuture<?> future) throws Exception {
    try {
      throw new AssertionError("succeeded: " + future.get(60, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      return (TransactionManagerException) e.getCause();
    }
  }
}
