package org.example.orchard.util;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Somebody looked this over. */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface Checked {
    String by() default "";

    Level level() default Level.BRIEF;

    enum Level {
        BRIEF,
        THOROUGH
    }
}
