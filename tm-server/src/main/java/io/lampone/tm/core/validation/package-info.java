/** Conflicts and decisions (protocol page, sections 5 and 7). */
@NullMarked
package io.lampone.tm.core.validation;

import org.jspecify.annotations.NullMarked;
