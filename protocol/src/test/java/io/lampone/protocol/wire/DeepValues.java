package io.lampone.protocol.wire;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Everything in an object as nested lists, which are equal if classes, fields and elements of
 * arrays are. AssertJ's recursive comparison takes many times as long.
 */
final class DeepValues {

  private static final ClassValue<List<Field>> FIELDS =
      new ClassValue<>() {
        @Override
        protected List<Field> computeValue(Class<?> type) {
          List<Field> fields = new ArrayList<>();
          for (Class<?> each = type; each != Object.class; each = each.getSuperclass()) {
            fields.addAll(Arrays.asList(each.getDeclaredFields()));
          }
          fields.removeIf(field -> Modifier.isStatic(field.getModifiers()));
          fields.forEach(field -> field.setAccessible(true));
          return fields;
        }
      };

  private DeepValues() {}

  static Object of(Object value) {
    List<Object> values = new ArrayList<>();
    if (value instanceof List<?> list) {
      list.forEach(element -> values.add(of(element)));
    } else if (value != null && value.getClass().isArray()) {
      for (int i = 0; i < Array.getLength(value); i++) {
        values.add(of(Array.get(value, i)));
      }
    } else if (value == null
        || value instanceof Enum
        || value.getClass().getName().startsWith("java.")) {
      return value;
    } else {
      values.add(value.getClass());
      for (Field field : FIELDS.get(value.getClass())) {
        values.add(of(get(field, value)));
      }
    }
    return values;
  }

  private static Object get(Field field, Object of) {
    try {
      return field.get(of);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
