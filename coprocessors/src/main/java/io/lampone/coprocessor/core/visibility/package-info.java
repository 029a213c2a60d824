/** Visibility of stored versions to reads (protocol page, sections 1, 4 and 5). */
@NullMarked
package io.lampone.coprocessor.core.visibility;

import org.jspecify.annotations.NullMarked;
