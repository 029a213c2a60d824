package io.lampone.tm.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.tm.command.Commands.Access;
import io.lampone.tm.command.Commands.Sender;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class CommandsTest {

  private static final Sender NOBODY = new Sender("", true, false, false, false);
  private static final Sender CLIENT = new Sender("shop", true, false, true, false);
  private static final Sender ADMINISTRATOR = new Sender("root", true, false, false, true);

  private final Commands commands =
      new Commands()
          .add("look", Access.EVERYBODY, CommandsTest::echo)
          .add("use", Access.CLIENT, CommandsTest::echo)
          .add("change", Access.ADMINISTRATOR, CommandsTest::echo)
          .add(
              "fail",
              Access.EVERYBODY,
              (argument, sender) -> {
                throw new IllegalStateException("no");
              });

  @Test
  void aCommandIsCarriedOutForThoseWhoMaySendIt() {
    assertThat(commands.run("look", "x", NOBODY)).isCompletedWithValue("x");
    assertThat(commands.run("use", "x", CLIENT)).isCompletedWithValue("x");
    assertThat(commands.run("use", "x", ADMINISTRATOR)).isCompletedWithValue("x");
    assertThat(commands.run("change", "x", ADMINISTRATOR)).isCompletedWithValue("x");
    refused("use", NOBODY, "not permitted");
    refused("change", NOBODY, "not permitted");
    refused("change", CLIENT, "needs=ADMINISTRATOR");
  }

  @Test
  void whatIsUnknownOrFailsIsTold() {
    refused("fly", ADMINISTRATOR, "unknown command, name=fly known=[change, fail, look, use]");
    refused("fail", NOBODY, "no");
  }

  @Test
  void argumentsAreKeysAndValuesEachOnce() {
    CommandArguments arguments = CommandArguments.parse("  a=1\tb=x=y ", List.of("a", "b", "c"));
    assertThat(arguments.timestamp("a")).isEqualTo(1);
    assertThat(arguments.text("b")).isEqualTo("x=y");
    assertThat(arguments.find("c")).isEmpty();
    assertThatThrownBy(() -> arguments.text("c")).hasMessageContaining("argument missing, key=c");
    assertThatThrownBy(() -> arguments.timestamp("b")).hasMessageContaining("not a timestamp");
    assertThatThrownBy(() -> arguments.millis("b")).hasMessageContaining("milliseconds");
    for (String bad : new String[] {"a", "d=1", "a=1 a=2", "=1"}) {
      assertThatThrownBy(() -> CommandArguments.parse(bad, List.of("a")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("known=[a]");
    }
  }

  @Test
  void whatAnAdministratorMustSendIsKnown() {
    assertThat(commands.isAudited("change")).isTrue();
    assertThat(commands.isAudited("use")).isFalse();
    assertThat(commands.isAudited("fly")).isFalse();
    assertThat(commands.permits("change", CLIENT)).isFalse();
    assertThat(commands.permits("change", ADMINISTRATOR)).isTrue();
    assertThat(commands.permits("fly", ADMINISTRATOR)).isFalse();
  }

  private static CompletableFuture<String> echo(String argument, Sender sender) {
    return CompletableFuture.completedFuture(argument);
  }

  private void refused(String name, Sender sender, String why) {
    assertThat(commands.run(name, "", sender))
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withMessageContaining(why);
  }
}
