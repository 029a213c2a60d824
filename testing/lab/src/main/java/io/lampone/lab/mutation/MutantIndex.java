package io.lampone.lab.mutation;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reader of the folder of planted bugs: {@code index.json} and a patch for each of its entries. */
final class MutantIndex {

  /** Folder below the root of the tree. */
  static final String FOLDER = "testing/mutants";

  static final Set<String> AREAS =
      Set.of("client", "manager", "coprocessor", "collector", "adoption", "backup", "security");

  static final Set<String> EFFECTS =
      Set.of("loses", "contradicts", "availability", "refusal", "other");

  private static final String PATCH = ".patch";
  private static final String ADVICE = "the form is described in docs/testing.md#planted-bugs";
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .build();

  private MutantIndex() {}

  /**
   * Reads the planted bugs of a tree, in the order of the index.
   *
   * @throws CommandException if index and files do not agree, or an entry is incomplete
   */
  static List<PlantedBug> read(Path root) throws IOException {
    Path folder = root.resolve(FOLDER);
    Set<String> files = patchNames(folder);
    List<PlantedBug> bugs = new ArrayList<>();
    try {
      for (JsonNode entry : JSON.readTree(folder.resolve("index.json").toFile())) {
        String name = entry.path("name").asText();
        // Also the second entry of a name has none.
        if (!files.remove(name)) {
          throw new CommandException("no patch for an entry of the index, name=" + name, ADVICE);
        }
        ((ObjectNode) entry).put("patch", Files.readString(folder.resolve(name + PATCH)));
        bugs.add(checked(JSON.treeToValue(entry, PlantedBug.class), root));
      }
    } catch (JsonProcessingException e) {
      throw new CommandException(
          "unreadable index of planted bugs, folder=" + folder + " cause=" + e.getOriginalMessage(),
          ADVICE,
          e);
    }
    if (!files.isEmpty()) {
      throw new CommandException("patches that are not in the index, names=" + files, ADVICE);
    }
    return bugs;
  }

  private static PlantedBug checked(PlantedBug bug, Path root) {
    require(AREAS.contains(bug.area()), bug, "an area of " + AREAS, bug.area());
    require(EFFECTS.contains(bug.effect()), bug, "an effect of " + EFFECTS, bug.effect());
    require(
        Files.exists(root.resolve(bug.module()).resolve("pom.xml")), bug, "a module", bug.module());
    require(!bug.says().isBlank(), bug, "a sentence", bug.says());
    require(bug.origin().matches("|[0-9a-f]{7,40}"), bug, "a commit or nothing", bug.origin());
    String main = bug.module() + "/src/main/java/";
    require(
        !bug.files().isEmpty() && bug.files().stream().allMatch(file -> file.startsWith(main)),
        bug,
        "changes of main code of its module only",
        bug.files().toString());
    return bug;
  }

  private static void require(boolean holds, PlantedBug bug, String wanted, String found) {
    if (!holds) {
      throw new CommandException(
          "a planted bug needs " + wanted + ", name=" + bug.name() + " found='" + found + "'",
          ADVICE);
    }
  }

  private static Set<String> patchNames(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(PATCH))
          .map(name -> name.substring(0, name.length() - PATCH.length()))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }
}
