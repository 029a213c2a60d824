package io.lampone.dist;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * The classes and members of Java 11 as {@code javac --release 11} knows them, and those of a jar.
 */
final class Java11Library {

  /** Letter of release 11 in the folder names of the JDK's signature file. */
  private static final String RELEASE = "B";

  private static final String METHOD_HANDLE = "java/lang/invoke/MethodHandle";
  private static final String VAR_HANDLE = "java/lang/invoke/VarHandle";

  /** A class: what it extends and implements, and its members as name and descriptor. */
  private record Signature(Set<String> supertypes, Set<String> members) {}

  private final Map<String, Signature> classes = new HashMap<>();
  private final Set<String> packages = new HashSet<>();

  Java11Library() throws IOException {
    Path symbols = Path.of(System.getProperty("java.home"), "lib", "ct.sym");
    try (JarFile file = new JarFile(symbols.toFile())) {
      for (JarEntry entry : Collections.list(file.entries())) {
        String name = entry.getName();
        if (name.endsWith(".sig") && name.substring(0, name.indexOf('/')).contains(RELEASE)) {
          try (InputStream in = file.getInputStream(entry)) {
            add(in.readAllBytes());
          }
        }
      }
    }
    classes.keySet().stream().map(Java11Library::packageOf).forEach(packages::add);
  }

  /** Adds a class that may extend those of Java. */
  void add(byte[] classFile) {
    ClassReader reader = new ClassReader(classFile);
    Set<String> members = new HashSet<>();
    reader.accept(
        new ClassVisitor(Opcodes.ASM9) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] exceptions) {
            members.add(name + descriptor);
            return null;
          }

          @Override
          public FieldVisitor visitField(
              int access, String name, String descriptor, String signature, Object value) {
            members.add(name + descriptor);
            return null;
          }
        },
        ClassReader.SKIP_CODE);
    Set<String> supertypes = new HashSet<>(Arrays.asList(reader.getInterfaces()));
    Optional.ofNullable(reader.getSuperName()).ifPresent(supertypes::add);
    classes.put(reader.getClassName(), new Signature(supertypes, members));
  }

  /** Returns whether a class is absent that only Java could have. */
  boolean lacks(String className) {
    return !classes.containsKey(className)
        && (className.startsWith("java/") || packages.contains(packageOf(className)));
  }

  /** Returns whether a member is absent; false if a class between is of another library. */
  boolean lacks(String owner, String member) {
    if (owner.startsWith("[") || owner.equals(METHOD_HANDLE) || owner.equals(VAR_HANDLE)) {
      return false;
    }
    Deque<String> open = new ArrayDeque<>(Set.of(owner));
    while (!open.isEmpty()) {
      String name = open.pop();
      Signature signature = classes.get(name);
      if (signature == null) {
        if (!lacks(name)) {
          return false;
        }
      } else if (signature.members().contains(member)) {
        return false;
      } else {
        open.addAll(signature.supertypes());
      }
    }
    return !object().contains(member);
  }

  int size() {
    return classes.size();
  }

  private Set<String> object() {
    return classes.get("java/lang/Object").members();
  }

  private static String packageOf(String className) {
    return className.substring(0, Math.max(0, className.lastIndexOf('/')));
  }

  /** Returns the classes that a descriptor names. */
  static Stream<String> namesIn(String descriptor) {
    return Stream.of(descriptor.split("[();]"))
        .map(part -> part.replaceFirst("^[\\[BCDFIJSZV]*L", "L"))
        .filter(part -> part.startsWith("L"))
        .map(part -> part.substring(1));
  }
}
